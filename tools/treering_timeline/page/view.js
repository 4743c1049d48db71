// Draws the lanes. Times are microseconds from the begin of the report.
const canvas = document.getElementById("lanes");
const context = canvas.getContext("2d");
const view = {begin: 0, end: Math.max(1, facts.length), place: 0, chosen: null, matching: null, width: 0, colours: {}};

function readColours() {
  const style = getComputedStyle(document.documentElement);
  view.colours = new Proxy({}, {get: (known, name) => known[name] ??= style.getPropertyValue(name).trim()});
}

const xOf = (time) => lanes.gutter + (time - view.begin) / (view.end - view.begin) * (view.width - lanes.gutter);
const timeAt = (x) => view.begin + (x - lanes.gutter) / (view.width - lanes.gutter) * (view.end - view.begin);

function show(begin, end) {
  const least = Math.min(0.05, facts.length);
  const length = Math.min(Math.max(end - begin, least), Math.max(1, facts.length) * 1.02);
  const middle = (begin + end) / 2;
  view.begin = Math.max(-0.01 * facts.length, Math.min(middle - length / 2, 1.01 * facts.length - length));
  view.end = view.begin + length;
  redraw();
}

function zoom(factor, around = (view.begin + view.end) / 2) {
  show(around - (around - view.begin) * factor, around + (view.end - around) * factor);
}

let asked = false;
function redraw() {
  if (!asked) requestAnimationFrame(() => { asked = false; draw(); });
  asked = true;
}

function draw() {
  view.width = canvas.clientWidth;
  lanes.gutter = view.width < 560 ? 56 : 68;
  const scale = window.devicePixelRatio || 1;
  canvas.style.height = lanes.height + "px";
  if (canvas.width !== Math.round(view.width * scale) || canvas.height !== Math.round(lanes.height * scale)) {
    canvas.width = Math.round(view.width * scale);
    canvas.height = Math.round(lanes.height * scale);
  }
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.fillStyle = view.colours["--card"];
  context.fillRect(0, 0, view.width, lanes.height);
  drawBackground();
  let drawn = 0;
  for (const lane of lanes.list) if (lane.kind === "rank") drawStrip(lane), ++drawn;
  drawOpened();
  drawMatches();
  drawAxis();
  drawLabels();
  drawChosen();
  document.documentElement.dataset.lanes = drawn;
}

function drawBackground() {
  lanes.list.forEach((lane, i) => {
    if (lane.kind === "rank" ? i % 2 === 0 : true) {
      context.fillStyle = view.colours["--row"];
      context.globalAlpha = lane.kind === "rank" ? 1 : 0.45;
      context.fillRect(lanes.gutter, lane.top, view.width - lanes.gutter, lane.height);
    }
  });
  context.globalAlpha = 1;
}

// Each pixel is as strong as the part of its time that is covered, but what is there shows.
function drawCoverage(strip, colour, top, height) {
  const first = firstFrom(strip.end, view.begin), last = firstFrom(strip.begin, view.end);
  context.fillStyle = view.colours[colour];
  if (last - first < (view.width - lanes.gutter) / 3) {
    for (let i = first; i < last; ++i) {
      const left = Math.max(lanes.gutter, xOf(strip.begin[i]));
      context.fillRect(left, top, Math.max(0.7, Math.min(view.width, xOf(strip.end[i])) - left), height);
    }
    return;
  }
  let from = lanes.gutter, strength = 0;
  const flush = (until) => {
    if (strength > 0) {
      context.globalAlpha = strength / 8;
      context.fillRect(from, top, until - from, height);
    }
    from = until;
  };
  const step = timeAt(lanes.gutter + 1) - timeAt(lanes.gutter);
  for (let x = lanes.gutter; x < view.width; ++x) {
    const begin = timeAt(x), part = covered(strip, begin, begin + step) / step;
    const now = part <= 0 ? 0 : Math.min(8, Math.ceil(1 + part * 7));
    if (now !== strength) flush(x), strength = now;
  }
  flush(view.width);
  context.globalAlpha = 1;
}

function drawStrip(lane) {
  const rank = ranks[lane.place];
  const gap = lane.height > 16 ? 3 : 1, inner = lane.height - 2 * gap, upper = Math.round(inner * 0.6);
  drawCoverage(rank.wait, "--wait", lane.top + gap, upper);
  drawCoverage(rank.late, "--late", lane.top + gap, upper);
  drawCoverage(rank.move, "--move", lane.top + gap + upper, inner - upper);
}

const tensorParts = [["begin", "ready", "--handed"], ["ready", "agreed", "--wait"], ["agreed", "started", "--queue"], ["started", "end", "--move"]];

function drawOpened() {
  context.save();
  context.beginPath();
  context.rect(lanes.gutter, 0, view.width - lanes.gutter, lanes.height);
  context.clip();
  for (let i = 0; i < lanes.list.length;) {
    const lane = lanes.list[i];
    let after = i + 1;
    while (after < lanes.list.length && lanes.list[after].kind === lane.kind && lanes.list[after].place === lane.place) ++after;
    if (lane.kind !== "rank") drawRows(lane, lanes.list.slice(i, after));
    i = after;
  }
  context.restore();
}

function forEachVisible(list, use) {
  for (let i = firstFrom(list.latest, view.begin); i < list.count && list.begin[i] <= view.end; ++i) if (list.end[i] >= view.begin) use(i);
}

function drawRows(lane, rows) {
  const list = ranks[lane.place][lane.kind];
  if (lane.kind === "asleep") return drawCoverage(list, "--asleep", lane.top + 2, lane.height - 4);
  const tops = new Map(rows.map((row) => [row.row, row.top]));
  const reached = new Map();  // pixel up to which a row is full: what ends before it would not show
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  forEachVisible(list, (i) => {
    const row = lanes.rowIn(lane.kind, list, i), top = tops.get(row), right = xOf(list.end[i]);
    if (right < (reached.get(row) ?? 0)) return;
    const left = xOf(list.begin[i]), width = Math.max(0.8, right - left);
    reached.set(row, Math.floor(left + width) + (width < 1 ? 1 : 0));
    if (lane.kind === "tensors" && width > 2) {
      for (const [from, to, colour] of tensorParts) {
        context.fillStyle = view.colours[colour];
        const x = xOf(list[from][i]);
        context.fillRect(x, top + 2, xOf(list[to][i]) - x, lane.height - 4);
      }
    } else {
      context.fillStyle = view.colours[lane.kind === "stages" ? stageColours[list.stage[i]] : lane.kind === "marks" ? "--mark" : "--move"];
      context.fillRect(left, top + 2, width, lane.height - 4);
    }
    if (width > 44 && lane.kind !== "stages") drawName(nameWords(list.name[i]), left, right, top + lane.height / 2 + 0.5);
  });
}

function drawName(name, left, right, y) {
  const x = Math.max(left, lanes.gutter) + 4, room = Math.min(right, view.width) - x - 4;
  const letters = Math.floor(room / 6);
  if (letters < 3) return;
  const text = name.length <= letters ? name : name.slice(0, letters - 1) + "\u2026";
  const width = context.measureText(text).width;
  context.fillStyle = view.colours["--card"];
  context.globalAlpha = 0.8;
  context.fillRect(x - 2, y - 6, width + 4, 11);
  context.globalAlpha = 1;
  context.fillStyle = view.colours["--text"];
  context.fillText(text, x, y);
}

function drawMatches() {
  if (!view.matching) return;
  context.fillStyle = view.colours["--accent"];
  for (const lane of lanes.list) {
    if (lane.kind !== "rank") continue;
    const list = ranks[lane.place].tensors;
    let reached = lanes.gutter;
    forEachVisible(list, (i) => {
      const x = xOf(list.begin[i]);
      if (x < reached || !view.matching[list.name[i]]) return;
      context.fillRect(x - 0.5, lane.top, 2, lane.height);
      context.fillRect(x - 0.5, lane.top, Math.max(2, Math.min(view.width, xOf(list.end[i])) - x), 2);
      reached = Math.floor(x) + 2;
    });
  }
}

function drawAxis() {
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "alphabetic";
  const wanted = (view.end - view.begin) / Math.max(2, (view.width - lanes.gutter) / 110);
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((value) => value >= wanted);
  for (let time = Math.ceil(view.begin / step) * step; time <= view.end; time += step) {
    const x = xOf(time);
    context.fillStyle = view.colours["--line"];
    context.fillRect(x, 18, 1, 6);
    context.fillStyle = view.colours["--soft"];
    if (x + 46 < view.width) context.fillText(timeWords(Math.max(0, Math.abs(time) < step / 1e6 ? 0 : time + facts.offset)), x + 3, 16);
  }
  context.fillStyle = view.colours["--soft"];
  const visible = facts.steps.filter((each) => each.end >= view.begin && each.end <= view.end);
  context.globalAlpha = 0.5;
  if (visible.length < (view.width - lanes.gutter) / 6)
    for (const each of visible) context.fillRect(xOf(each.end), lanes.axis - 5, 1, lanes.height - lanes.axis + 5);
  context.globalAlpha = 1;
}

function drawLabels() {
  context.fillStyle = view.colours["--card"];
  context.fillRect(0, 0, lanes.gutter - 2, lanes.height);
  context.textBaseline = "middle";
  for (const lane of lanes.list) {
    const chosen = lane.kind === "rank" && lane.place === view.place;
    if (chosen) {
      context.fillStyle = view.colours["--accent"];
      context.fillRect(0, lane.top, 4, lane.height);
    }
    const rank = ranks[lane.place];
    context.font = (chosen ? "bold " : "") + (lane.kind === "rank" ? Math.min(13, lane.height - 1) : 10) + "px system-ui, sans-serif";
    context.fillStyle = view.colours[lane.kind === "rank" ? "--text" : "--soft"];
    const mark = lane.height > 16 ? (rank.open ? "\u25be " : "\u25b8 ") : "";
    const word = view.width < 560 || lane.height < 16 ? "" : "rank ";
    context.fillText(lane.kind === "rank" ? mark + word + rank.rank : lane.label, 7, lane.top + lane.height / 2 + 0.5);
  }
}

function drawChosen() {
  if (!view.chosen) return;
  const {place, kind, index} = view.chosen, list = ranks[place][kind];
  context.strokeStyle = view.colours["--text"];
  context.lineWidth = 2;
  for (const lane of lanes.list) {
    if (lane.place !== place || (lane.kind !== "rank" && (lane.kind !== kind || lane.row !== lanes.rowIn(kind, list, index)))) continue;
    const left = Math.max(lanes.gutter, xOf(list.begin[index])), right = Math.min(view.width - 1, xOf(list.end[index]));
    if (right >= lanes.gutter && left < view.width) context.strokeRect(left, lane.top + 1, Math.max(3, right - left), lane.height - 2);
  }
}
