#!/usr/bin/env python3
"""The report in a real browser: speed, lanes, width, colours, keys. Skipped, saying so, where there is no Chromium.

usage: timeline_page_test.py PROGRAM SAMPLE [FOLDER_FOR_PICTURES]
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import browser

PROGRAM, SAMPLE = sys.argv[1], sys.argv[2]


def check(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def page(folder, scenario, *numbers):
    traces, report = folder / scenario, folder / f"{scenario}.html"
    subprocess.run([SAMPLE, traces, scenario, *map(str, numbers)], check=True, timeout=60)
    subprocess.run([PROGRAM, "report", traces, "-o", report], check=True, timeout=60)
    return report


def take_pictures(tab, folder, name):
    pictures = set()
    for width, height in ((1280, 2400), (400, 3200)):
        for dark in (False, True):
            tab.look(width, height, dark)
            overflow = tab.value("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            check(overflow <= 0, f"{name} at {width}: nothing is wider than the page, but {overflow} pixels are")
            check(tab.value("document.documentElement.classList.contains('dark')") == dark, "the page follows the wish for dark")
            picture = tab.picture()
            (folder / f"{name}-{width}-{'dark' if dark else 'light'}.png").write_bytes(picture)
            pictures.add(picture)
    check(len(pictures) == 4 and all(len(picture) > 10_000 for picture in pictures), "four pictures that show something")


def colours_of_lanes(tab):
    """How many pixels of the lanes are drawn in the colours of waiting and of being waited for."""
    return tab.value("""(() => {
      const canvas = document.getElementById("lanes"), data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      const wanted = (name) => {
        const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
        return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
      };
      return ["--late", "--wait"].map(wanted).map((colour) => {
        let count = 0;
        for (let i = 0; i < data.length; i += 4) if (data[i] === colour[0] && data[i + 1] === colour[1] && data[i + 2] === colour[2]) ++count;
        return count;
      });
    })()""")


def test_million(tab, folder, pictures):
    report = page(folder, "normal", 64, 40, 40)
    seconds = tab.open(report)
    lanes = int(tab.value("document.documentElement.dataset.lanes"))
    spans = int(tab.value("document.documentElement.dataset.spans"))
    check(lanes == 64, f"64 lanes, not {lanes}")
    check(seconds < 5, f"the page opens in {seconds:.1f} s")
    take_pictures(tab, pictures, "million")
    print(f"{spans} spans of 1234688 records, {report.stat().st_size >> 10} KiB, open in {seconds:.1f} s")


def test_late(tab, folder, pictures):
    tab.open(page(folder, "late"))
    take_pictures(tab, pictures, "late")
    tab.look(1280, 900)
    late, wait = colours_of_lanes(tab)
    check(late > 3000 and wait > 2 * late, f"one lane is waited for, three wait: {late} and {wait} pixels")
    first = tab.value("document.querySelector('#causes li').textContent")
    check("rank 2" in first and "50.0 ms" in first, f"the first cause: {first}")
    path = tab.value("document.getElementById('path').textContent")
    check(re.search(r"rank 2, for which the others wait50\.0 ms", path), f"the critical path: {path}")


def test_keys(tab, folder, _):
    tab.open(page(folder, "names"))
    tab.look(1280, 900)
    details = lambda: tab.value("document.getElementById('details').textContent")
    lanes = lambda: tab.value("document.getElementById('lanes').clientHeight")
    tab.value("document.getElementById('lanes').focus()")
    tab.press("ArrowDown")
    check("Rank 1" in details(), f"down chooses the next rank: {details()}")
    before = lanes()
    tab.press("Enter", "\r")
    check(lanes() > before, "Enter opens it")
    tab.press(".")
    check("waited for others" in details(), f"the next tensor is told about: {details()}")
    picture = tab.picture()
    for key in ("+", "ArrowRight", "]", "0"):
        tab.press(key)
        now = tab.picture()
        check(now != picture, f"{key} changes the picture")
        picture = now
    tab.press("/")
    check(tab.value("document.activeElement.id") == "search", "/ goes to the search")
    for letter in "quo":
        tab.press(letter)
    check(tab.value("document.getElementById('matches').textContent") == "2 tensors", "the search finds")
    tab.press("Enter", "\r")
    check('quo"te' in details(), f"Enter goes to the match: {details()}")
    check(tab.value("document.getElementById('tensors').rows.length") == 3, "the table follows the search")


def test_little(tab, folder, _):
    for scenario, numbers, lanes in (("empty", (2,), "2"), ("slow", (1, 1, 1), "1")):
        tab.open(page(folder, scenario, *numbers))
        check(tab.value("document.documentElement.dataset.lanes") == lanes, f"{scenario}: its lanes")


if __name__ == "__main__":
    program = browser.find_browser()
    if not program:
        print("\n*** timeline_page_test: SKIPPED, NOT TESTED: there is no chromium; install Debian's package 'chromium'", file=sys.stderr)
        sys.exit(77)
    with tempfile.TemporaryDirectory() as scratch:
        pictures = Path(sys.argv[3] if len(sys.argv) > 3 else scratch)
        for test in (test_million, test_late, test_keys, test_little):
            with browser.Browser(program) as tab:
                test(tab, Path(scratch), pictures)
    print("the page is drawn, read and driven by keys")
