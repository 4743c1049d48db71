function setTheme(dark) {
  document.documentElement.classList.toggle("dark", dark);
  get("theme").textContent = dark ? "Light" : "Dark";
  readColours();
  redraw();
  if (facts.steps.length > 0) drawSteps();
}

const darkWanted = window.matchMedia("(prefers-color-scheme: dark)");
darkWanted.addEventListener("change", (event) => setTheme(event.matches));
get("theme").addEventListener("click", () => setTheme(!document.documentElement.classList.contains("dark")));
document.documentElement.classList.toggle("dark", darkWanted.matches);

readColours();
lanes.layOut();
showHead();
showCauses();
showLegend();
showBars();
showTensors();
startSteps();
setTheme(darkWanted.matches);
const slowest = ranks.findIndex((rank) => rank.rank === summary.slowest_rank);
view.place = Math.max(0, slowest);
if (ranks.length <= 4 && ranks.length > 0) ranks[view.place].open = true, lanes.layOut();
draw();
canvas.setAttribute("aria-label", ranks.length + " ranks over " + timeWords(facts.length));
window.addEventListener("resize", () => { draw(); if (facts.steps.length > 0) drawSteps(); });
document.documentElement.dataset.overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
document.documentElement.dataset.spans = facts.spans;
document.documentElement.dataset.ready = Math.round(performance.now());
