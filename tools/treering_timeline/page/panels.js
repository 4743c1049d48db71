// The parts of the page that are text and tables.
function element(tag, text, attributes = {}, ...children) {
  const made = document.createElement(tag);
  if (text !== null) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const get = (id) => document.getElementById(id);
const colour = (name) => "background:var(" + name + ")";
const ms = (value) => timeWords(value * 1000);

function showHead() {
  const missing = summary.missing_ranks.length;
  get("scope").textContent = summary.recorded_ranks.length + " of " + summary.ranks + " ranks, " + timeWords(facts.length) + ", " +
    facts.spans.toLocaleString("en") + " spans; clocks agree within " + ms(summary.clock_error_ms);
  const remarks = [...summary.remarks];
  if (missing > 0) remarks.push("There is no file of rank " + summary.missing_ranks.slice(0, 16).join(", ") + (missing > 16 ? ", \u2026" : "") + ".");
  if (ranks.length > 0 && summary.steps === 0) remarks.push("No operations were recorded.");
  get("remarks").replaceChildren(...remarks.map((text) => element("li", text, {class: "remark"})));
  const slowest = summary.slowest_rank === null ? "none" : "rank " + summary.slowest_rank;
  const figures = [["Step (median)", ms(summary.step_ms)], ["95 % of steps below", ms(summary.step_ms_p95)], ["Exposed communication", ms(summary.exposed_ms)],
    ["Slowest", slowest], ["Achieved", rateWords(summary.achieved_bytes_per_second)],
    ["Fastest tenth", rateWords(summary.best_bytes_per_second)], ["Planned", summary.planned_bytes_per_second === null ? "not known" : rateWords(summary.planned_bytes_per_second)],
    ["Batches, median", summary.batches.count.toLocaleString("en") + ", " + byteWords(summary.batches.median_bytes)]];
  get("figures").replaceChildren(...figures.map(([what, value]) => element("div", null, {}, element("dt", what), element("dd", value))));
}

function showCauses() {
  const causes = summary.causes.slice(0, 6);
  get("causes").replaceChildren(...causes.map((cause) => element("li", null, {},
    element("span", ms(cause.lost_ms_per_step) + " in a step", {class: "lost"}), element("b", cause.what),
    element("p", cause.evidence), element("p", "\u2192 " + cause.advice, {class: "do"}))));
  if (causes.length === 0) get("causes").append(element("li", "Nothing stands out."));
}

function showLegend() {
  const entries = [["--late", "others wait for this rank"], ["--wait", "waits for others"], ["--move", "moves data"],
    ["--handed", "handed over, not told yet"], ["--queue", "waits for its batch"], ["--asleep", "engine asleep"], ["--mark", "marked by the program"]];
  get("legend").replaceChildren(...entries.map(([name, what]) => element("li", null, {}, element("i", "", {style: colour(name)}), what)));
}

function bars(id, rows, name) {
  const most = Math.max(...rows.map((row) => row[1]), 1e-9);
  get(id).replaceChildren(...rows.map(([what, value, shown, own]) => {
    const bar = element("div", "", {style: colour(own ?? name) + ";width:" + (100 * value / most).toFixed(1) + "%;min-width:" + (value > 0 ? 1 : 0) + "px"});
    return element("tr", null, {}, element("td", what), element("td", null, {class: "bar", "aria-hidden": "true"}, bar), element("td", shown, {class: "n"}));
  }));
  if (rows.length === 0) get(id).append(element("tr", null, {}, element("td", "nothing recorded")));
}

const roundTime = (time) => time >= 1e6 ? Number((time / 1e6).toPrecision(2)) + " s" : time >= 1e3 ? Number((time / 1e3).toPrecision(2)) + " ms" : time + " \u00b5s";

function showBars() {
  const counts = summary.wait_histogram_us_log2;
  let first = counts.findIndex((count) => count > 0), last = counts.findLastIndex((count) => count > 0);
  const waits = [];
  for (let i = Math.max(0, first); i <= last; ++i)
    waits.push([i === 0 ? "below " + roundTime(2) : roundTime(2 ** i) + " to " + roundTime(2 ** (i + 1)), counts[i], counts[i].toLocaleString("en")]);
  bars("waits", waits, "--wait");
  const stages = summary.stages_ms;
  const rows = [["waiting for others", stages.waiting, "--wait"], ["being agreed", stages.agreeing, "--handed"], ["waiting for a batch", stages.starting, "--queue"],
    ["moving", stages.moving, "--move"], ...stageNames.map((stage, i) => ["\u2007" + stage, stages[stage], stageColours[i]])];
  bars("stages", rows.filter(([, value], i) => i < 4 || value > 0).map(([what, value, own]) => [what, value, ms(value), own]), "--move");
  const most = 40;
  bars("links", summary.links.slice(0, most).map((link) => ["rank " + link.from + " \u2192 " + link.to, link.bytes, byteWords(link.bytes) + ", " + rateWords(link.bytes_per_second)]), "--ring");
  if (summary.links.length > most) get("links").append(element("tr", null, {}, element("td", "and " + (summary.links.length - most) + " more")));
}

let tensorsShown = 50;
function showTensors() {
  const head = element("tr", null, {}, element("th", "tensor"), ...["waited", "longest", "times", "size", "last"].map((what) => element("th", what, {class: "n"})));
  const found = facts.tensors.filter(([id]) => !view.matching || view.matching[id]);
  const rows = found.slice(0, tensorsShown).map(([id, waited, longest, count, bytes, last, lastCount]) => {
    const name = element("button", nameWords(id), {class: "link", type: "button"});
    name.addEventListener("click", () => {
      search.value = facts.names[id];
      find();
      const index = ranks[view.place].tensors.name.indexOf(id);
      if (index >= 0) visit(view.place, index);
      canvas.focus();
    });
    const who = last < 0 ? "\u2013" : "rank " + last + " (" + Math.round(100 * lastCount / count) + " %)";
    return element("tr", null, {}, element("td", null, {}, name), ...[timeWords(waited), timeWords(longest), count, byteWords(bytes), who].map((text) => element("td", text, {class: "n"})));
  });
  get("tensors").replaceChildren(head, ...rows);
  get("more").hidden = found.length <= tensorsShown;
  get("more").textContent = "Show more of " + found.length;
}
get("more").addEventListener("click", () => { tensorsShown += 200; showTensors(); });

let stepShown = 0;
function showStep(index, move) {
  if (facts.steps.length === 0) return get("path").replaceChildren(element("p", "No steps were recorded."));
  stepShown = Math.max(0, Math.min(facts.steps.length - 1, index));
  const step = facts.steps[stepShown];
  get("step").value = stepShown;
  get("step-number").textContent = step.number + ": " + timeWords(step.end - step.begin);
  drawSteps();
  const jump = element("button", "Show in the lanes", {type: "button"});
  jump.addEventListener("click", () => { show(step.begin, step.end); canvas.focus(); });
  get("path").replaceChildren(...pathOf(step), jump);
  if (move) show(step.begin, step.end);
}

function pathOf(step) {
  if (step.last < 0) return [element("p", "Its path is not known: not all ranks recorded it.")];
  const what = [["programs of all ranks, until the others are ready with " + nameWords(step.name), "--mark"],
    ["program of rank " + step.last + ", for which the others wait", "--late"], ["engine of rank " + step.last + " tells the others", "--handed"],
    ["ranks agree", "--wait"], ["it waits for its batch", "--queue"], ["it moves (ends last on rank " + step.ends + ")", "--move"]];
  const parts = what.map(([words, name], i) => ({words, name, length: step.parts[i] - (i === 0 ? step.begin : step.parts[i - 1])}));
  const whole = Math.max(1e-9, parts.reduce((sum, part) => sum + part.length, 0));
  const stack = element("div", null, {class: "stack", "aria-hidden": "true"}, ...parts.map((part) => element("div", "", {style: colour(part.name) + ";width:" + 100 * part.length / whole + "%"})));
  const rows = parts.map((part) => element("tr", null, {}, element("td", null, {}, element("i", "", {style: colour(part.name)}), part.words),
    element("td", timeWords(part.length), {class: "n"}), element("td", (100 * part.length / whole).toFixed(0) + " %", {class: "n"})));
  return [stack, element("table", null, {}, ...rows)];
}

function drawSteps() {
  const chart = get("steps"), pen = chart.getContext("2d"), scale = window.devicePixelRatio || 1, width = chart.clientWidth, height = 110;
  chart.style.height = height + "px";
  chart.width = width * scale;
  chart.height = height * scale;
  pen.scale(scale, scale);
  const most = Math.max(...facts.steps.map((step) => step.end - step.begin), 1e-9), room = height - 16;
  const columns = Math.min(facts.steps.length, Math.floor(width / 2)), each = width / Math.max(1, columns);
  for (let column = 0; column < columns; ++column) {  // of several steps in a column, the longest
    const from = Math.floor(column * facts.steps.length / columns), to = Math.floor((column + 1) * facts.steps.length / columns);
    let worst = from;
    for (let i = from; i < to; ++i) if (facts.steps[i].end - facts.steps[i].begin > facts.steps[worst].end - facts.steps[worst].begin) worst = i;
    const step = facts.steps[worst], full = room * (step.end - step.begin) / most, exposed = Math.min(full, room * step.exposed / most);
    const bar = each, left = column * each, gap = each > 3 ? 1 : 0;
    pen.fillStyle = view.colours[stepShown >= from && stepShown < to ? "--accent" : "--handed"];
    pen.fillRect(left, height - full, bar - gap, full);
    pen.fillStyle = view.colours["--wait"];
    pen.fillRect(left, height - exposed, bar - gap, exposed);
  }
  pen.font = "11px system-ui, sans-serif";
  pen.fillStyle = view.colours["--soft"];
  pen.fillText("the longest takes " + timeWords(most) + "; yellow: exposed communication", 0, 11);
  chart.setAttribute("aria-label", facts.steps.length + " steps, the longest takes " + timeWords(most));
}

function usualStep() {
  const lengths = facts.steps.map((step, i) => [step.end - step.begin, i]).slice(facts.steps.length > 3 ? 1 : 0).sort((a, b) => a[0] - b[0]);
  return lengths.length === 0 ? 0 : lengths[lengths.length >> 1][1];
}

function startSteps() {
  get("step").max = Math.max(0, facts.steps.length - 1);
  get("step").addEventListener("input", (event) => showStep(Number(event.target.value), false));
  get("steps").addEventListener("click", (event) => showStep(Math.floor(event.offsetX / get("steps").clientWidth * facts.steps.length), false));
  showStep(usualStep(), false);
}
