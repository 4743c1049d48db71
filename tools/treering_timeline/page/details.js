// Words about what is chosen or pointed at.
const details = document.getElementById("details");

function rankWords(place) {
  const rank = ranks[place];
  const from = Math.max(0, view.begin), to = Math.min(facts.length, view.end), length = Math.max(1e-9, to - from);
  const part = (strip) => timeWords(covered(strip, from, to)) + " (" + (100 * covered(strip, from, to) / length).toFixed(0) + " %)";
  return ["Rank " + rank.rank + (rank.host ? " on " + rank.host : "") + ", node " + rank.node + "; in the " + timeWords(length) + " shown:",
    "others waited for it " + part(rank.late) + "; it waited for others " + part(rank.wait) + "; it moved data " + part(rank.move) +
    "; its engine slept " + part(rank.asleep)];
}

function spanWords({place, kind, index}) {
  const rank = ranks[place], list = rank[kind], length = timeWords(list.end[index] - list.begin[index]);
  const when = "rank " + rank.rank + ", from " + timeWords(list.begin[index] + facts.offset) + ", " + length;
  if (kind === "tensors") {
    const last = list.last[index] === 0 ? "" : list.last[index] - 1 === rank.rank ? "; this rank was the last" : "; rank " + (list.last[index] - 1) + " was the last";
    const part = (from, to) => timeWords(list[to][index] - list[from][index]);
    return [nameWords(list.name[index]), when + ", " + byteWords(list.bytes[index]),
      "handed over to the others " + part("begin", "ready") + ", waited for others " + part("ready", "agreed") + last +
      ", waited for its batch " + part("agreed", "started") + ", moved " + part("started", "end")];
  }
  if (kind === "batches") {
    const others = list.tensors[index] > 1 ? " and " + (list.tensors[index] - 1) + " more" : "";
    return ["Batch with " + nameWords(list.name[index]) + others, when + ", " + byteWords(list.bytes[index]) + ", " +
      rateWords(list.bytes[index] * 1e6 / Math.max(1e-3, list.end[index] - list.begin[index]))];
  }
  if (kind === "stages") return ["Stage " + stageNames[list.stage[index]], when];
  return [nameWords(list.name[index]), when];
}

function say(lines) {
  details.replaceChildren(...lines.map((line, i) => {
    const paragraph = document.createElement("p");
    const text = document.createElement(i === 0 ? "b" : "span");
    text.textContent = line;
    paragraph.append(text);
    return paragraph;
  }));
}

function choose(span) {
  view.chosen = span;
  if (span) view.place = span.place;
  say(span ? spanWords(span) : rankWords(view.place));
  redraw();
}

function chooseRank(place) {
  view.place = Math.max(0, Math.min(ranks.length - 1, place));
  choose(null);
}

function toggle(place) {
  ranks[place].open = !ranks[place].open;
  lanes.layOut();
  chooseRank(place);
}

// The span under a point, or null.
function spanAt(x, y) {
  const lane = lanes.at(y);
  if (!lane || x < lanes.gutter || lane.kind === "rank" || lane.kind === "asleep") return null;
  const list = ranks[lane.place][lane.kind], near = (timeAt(1) - timeAt(0)) * 2, time = timeAt(x);
  let found = null, length = Infinity;
  forEachVisible(list, (i) => {
    if (lanes.rowIn(lane.kind, list, i) !== lane.row || list.begin[i] > time + near || list.end[i] < time - near) return;
    if (list.end[i] - list.begin[i] < length) found = i, length = list.end[i] - list.begin[i];
  });
  return found === null ? null : {place: lane.place, kind: lane.kind, index: found};
}

// Brings a tensor of a rank into the middle, with its neighbourhood.
function visit(place, index) {
  const list = ranks[place].tensors, length = Math.max(list.end[index] - list.begin[index], facts.length / 1e6);
  if (!ranks[place].open) {
    ranks[place].open = true;
    lanes.layOut();
  }
  const middle = (list.begin[index] + list.end[index]) / 2;
  show(middle - 3 * length, middle + 3 * length);
  choose({place, kind: "tensors", index});
}
