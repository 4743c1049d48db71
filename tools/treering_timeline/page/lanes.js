// What is drawn where: one strip for each rank, and under an opened one its rows.
const stageNames = ["pack", "tree up", "ring", "tree down", "unpack"];
const stageColours = ["--pack", "--tree", "--ring", "--broadcast", "--unpack"];
const mostRows = 40;  // of one kind; the rest shares the last

function rowsOf(list) {
  let rows = 0;
  for (let i = 0; i < list.count; ++i) if (list.row[i] >= rows) rows = list.row[i] + 1;
  return Math.min(rows, mostRows);
}

const lanes = {
  axis: 26,
  gutter: 58,
  strip: ranks.length <= 16 ? 28 : ranks.length <= 32 ? 20 : 13,
  row: 15,
  list: [],
  height: 0,

  layOut() {
    this.list = [];
    let top = this.axis;
    const add = (lane, height) => {
      this.list.push({...lane, top, height});
      top += height;
    };
    ranks.forEach((rank, place) => {
      add({kind: "rank", place}, this.strip);
      if (!rank.open) return;
      for (const [kind, label] of [["marks", "program"], ["tensors", "tensors"], ["batches", "batches"]]) {
        rank[kind].rows ??= rowsOf(rank[kind]);
        for (let row = 0; row < rank[kind].rows; ++row) add({kind, place, row, label: row === 0 ? label : ""}, this.row);
      }
      const present = stageNames.map((_, stage) => rank.stages.stage.includes(stage));
      stageNames.forEach((label, stage) => present[stage] && add({kind: "stages", place, row: stage, label}, this.row));
      add({kind: "asleep", place, row: 0, label: "asleep"}, this.row);
    });
    this.height = top + 4;
  },

  at(y) {
    return this.list.find((lane) => y >= lane.top && y < lane.top + lane.height);
  },

  rowIn(kind, list, i) {
    return kind === "stages" ? list.stage[i] : kind === "asleep" ? 0 : Math.min(list.row[i], list.rows - 1);
  },
};
