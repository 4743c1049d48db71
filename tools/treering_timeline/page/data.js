// The facts and spans that the tool has put into the page; packed_spans.h says how spans are packed.
const facts = JSON.parse(document.getElementById("facts").textContent);
const summary = facts.summary;

function bytesOf(element) {
  const text = atob(element.textContent.trim());
  element.textContent = "";
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

class Unpacker {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  value() {
    let byte = this.bytes[this.at++];
    if (byte < 0x80) return byte;
    let value = byte & 0x7f, scale = 128;
    do {
      byte = this.bytes[this.at++];
      value += (byte & 0x7f) * scale;
      scale *= 128;
    } while (byte >= 0x80);
    return value;
  }

  // Columns of one list: begin, end, and further ones as they are; `ends` further ends may come between.
  list(columns, between = []) {
    const count = this.value();
    const list = {count, begin: new Float64Array(count), end: new Float64Array(count), latest: new Float64Array(count)};
    for (const name of between) list[name] = new Float64Array(count);
    for (const name of columns) list[name] = new Float64Array(count);
    let begin = 0, latest = 0;
    for (let i = 0; i < count; ++i) {
      begin += this.value();
      list.begin[i] = begin * facts.tick;
      let end = begin;
      for (const name of between) list[name][i] = (end += this.value()) * facts.tick;
      list.end[i] = (end += this.value()) * facts.tick;
      for (const name of columns) list[name][i] = this.value();
      list.latest[i] = latest = Math.max(latest, list.end[i]);
    }
    return list;
  }

  strip() {
    const list = this.list([]);
    list.sum = new Float64Array(list.count + 1);
    for (let i = 0; i < list.count; ++i) list.sum[i + 1] = list.sum[i] + list.end[i] - list.begin[i];
    return list;
  }
}

function unpackRanks() {
  const from = new Unpacker(bytesOf(document.getElementById("spans")));
  return facts.ranks.map((rank) => ({
    ...rank,
    late: from.strip(),
    wait: from.strip(),
    move: from.strip(),
    asleep: from.strip(),
    tensors: from.list(["name", "row", "last", "bytes"], ["ready", "agreed", "started"]),
    batches: from.list(["name", "row", "bytes", "tensors"]),
    stages: from.list(["stage", "row"]),
    marks: from.list(["name", "row"]),
    open: false,
  }));
}

const ranks = unpackRanks();

// The first index whose value is not less than `wanted`.
function firstFrom(values, wanted) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

// How much of [begin, end] the spans of a strip cover; they lie side by side.
function covered(strip, begin, end) {
  const first = firstFrom(strip.end, begin), last = firstFrom(strip.begin, end);
  if (last <= first) return 0;
  const outside = Math.max(0, begin - strip.begin[first]) + Math.max(0, strip.end[last - 1] - end);
  return strip.sum[last] - strip.sum[first] - outside;
}

// Times are microseconds.
function timeWords(time) {
  const digits = (value) => value.toFixed(value >= 99.95 || value === 0 ? 0 : value >= 9.995 ? 1 : 2);
  if (time >= 1e6) return digits(time / 1e6) + " s";
  if (time >= 1e3) return digits(time / 1e3) + " ms";
  return digits(time) + " \u00b5s";
}

function byteWords(bytes) {
  if (bytes < 1024) return bytes + " B";
  let value = bytes / 1024, unit = 0;
  while (value >= 1024 && unit < 3) value /= 1024, ++unit;
  return value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2) + " " + ["KiB", "MiB", "GiB", "TiB"][unit];
}

function rateWords(rate) {
  return rate >= 1e9 ? (rate / 1e9).toFixed(2) + " GB/s" : rate >= 1e6 ? (rate / 1e6).toFixed(1) + " MB/s" : (rate / 1e3).toFixed(1) + " kB/s";
}

// Control characters would draw nothing, or something else.
function nameWords(id) {
  const name = facts.names[id].replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, " ");
  return name === "" ? "(no name)" : name.length > 300 ? name.slice(0, 200) + "\u2026" + name.slice(-90) : name;
}
