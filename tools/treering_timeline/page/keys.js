// Keys, pointers and buttons.
const search = document.getElementById("search"), matches = document.getElementById("matches");

function find() {
  const wanted = search.value.toLowerCase();
  view.matching = wanted === "" ? null : facts.names.map((name) => name.toLowerCase().includes(wanted));
  const names = facts.tensors.filter(([id]) => view.matching?.[id]);
  matches.textContent = view.matching ? names.length + (names.length === 1 ? " tensor" : " tensors") : "";
  showTensors();
  redraw();
}

// The chosen rank's next tensor (or, with a search, the next that matches) in one direction.
function step(direction, matchingOnly) {
  const list = ranks[view.place].tensors;
  const chosen = view.chosen?.kind === "tensors" && view.chosen.place === view.place;
  let index = chosen ? view.chosen.index + direction : direction > 0 ? firstFrom(list.begin, view.begin) : list.count - 1;
  while (index >= 0 && index < list.count && matchingOnly && view.matching && !view.matching[list.name[index]]) index += direction;
  if (index >= 0 && index < list.count) visit(view.place, index);
}

const pan = (part) => show(view.begin + part * (view.end - view.begin), view.end + part * (view.end - view.begin));

const keys = {
  ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2), ArrowUp: () => chooseRank(view.place - 1), ArrowDown: () => chooseRank(view.place + 1),
  "+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1 / 0.6), 0: () => show(0, facts.length), Home: () => show(0, facts.length),
  Enter: () => toggle(view.place), " ": () => toggle(view.place), ",": () => step(-1, false), ".": () => step(1, false),
  n: () => step(1, true), p: () => step(-1, true), "[": () => showStep(stepShown - 1, true), "]": () => showStep(stepShown + 1, true),
  Escape: () => choose(null),
};

canvas.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.tagName === "INPUT") return;
  event.preventDefault();
  search.focus();
});
search.addEventListener("input", find);
search.addEventListener("keydown", (event) => {
  if (event.key === "Enter") step(event.shiftKey ? -1 : 1, true);
  if (event.key === "Escape") canvas.focus();
});
for (const [id, action] of Object.entries({left: () => pan(-0.3), right: () => pan(0.3), in: () => zoom(0.5), out: () => zoom(2),
  all: () => show(0, facts.length), next: () => step(1, true), previous: () => step(-1, true)}))
  document.getElementById(id).addEventListener("click", action);

const place = (event) => {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
};
const pointers = new Map();
let moved = 0;

canvas.addEventListener("pointerdown", (event) => {
  pointers.set(event.pointerId, place(event));
  canvas.setPointerCapture(event.pointerId);
  moved = 0;
});
canvas.addEventListener("pointermove", (event) => {
  const now = place(event), before = pointers.get(event.pointerId);
  if (!before) return pointAt(now);
  const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
  if (other) {
    const factor = Math.abs(before[0] - other[0]) / Math.max(8, Math.abs(now[0] - other[0]));
    zoom(Math.min(4, Math.max(0.25, factor)), timeAt(other[0]));
  } else {
    const shift = timeAt(before[0]) - timeAt(now[0]);
    show(view.begin + shift, view.end + shift);
  }
  moved += Math.abs(now[0] - before[0]) + Math.abs(now[1] - before[1]);
  pointers.set(event.pointerId, now);
});
for (const kind of ["pointerup", "pointercancel"])
  canvas.addEventListener(kind, (event) => {
    const here = place(event);
    pointers.delete(event.pointerId);
    if (kind === "pointercancel" || moved > 6) return;
    const lane = lanes.at(here[1]);
    if (!lane) return;
    if (lane.kind === "rank" && here[0] < lanes.gutter) return toggle(lane.place);
    const span = spanAt(...here);
    if (span) choose(span);
    else chooseRank(lane.place);
  });
canvas.addEventListener("dblclick", (event) => {
  const lane = lanes.at(place(event)[1]);
  if (lane?.kind === "rank" && place(event)[0] >= lanes.gutter) toggle(lane.place);
});
canvas.addEventListener("wheel", (event) => {
  if (event.ctrlKey || event.metaKey) zoom(Math.exp(event.deltaY / 300), timeAt(place(event)[0]));
  else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(event.deltaX / view.width);
  else return;
  event.preventDefault();
}, {passive: false});
canvas.addEventListener("pointerleave", () => pointAt(null));

const tip = document.getElementById("tip");
function pointAt(where) {
  const span = where && spanAt(...where);
  tip.hidden = !span;
  if (!span) return;
  tip.textContent = spanWords(span).slice(0, 2).join(" \u2014 ");
  tip.style.top = where[1] + 18 + "px";
  tip.style.left = Math.min(where[0] + 12, Math.max(0, view.width - tip.offsetWidth - 4)) + "px";
}
