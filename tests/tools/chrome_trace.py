"""Reads a Chrome trace strictly and checks what viewers demand."""

import gzip
import json
from pathlib import Path

LATEST = 2 ** 53


def load(path):
    data = Path(path).read_bytes()
    text = (gzip.decompress(data) if str(path).endswith(".gz") else data).decode("utf-8", errors="strict")
    return json.loads(text, parse_constant=lambda word: problem(f"{word} is not JSON"), object_pairs_hook=unique)


def problem(what):
    raise ValueError(what)


def unique(pairs):
    if len({key for key, _ in pairs}) != len(pairs):
        problem(f"a key comes twice: {pairs}")
    return dict(pairs)


def nanoseconds(microseconds):
    if not 0 <= microseconds < LATEST:
        problem(f"time {microseconds}")
    return round(microseconds * 1000)


def check_nesting(slices):
    """Complete events of one row lie beside or inside one another."""
    open_ends = []
    for begin, end in sorted(slices, key=lambda each: (each[0], -each[1])):
        while open_ends and open_ends[-1] <= begin:
            open_ends.pop()
        if open_ends and end > open_ends[-1]:
            problem(f"a span from {begin} to {end} crosses one that ends at {open_ends[-1]}")
        open_ends.append(end)


def check(path):
    """The trace, after checks that raise ValueError."""
    trace = load(path)
    rows, named, arrows, processes = {}, set(), {}, set()
    for event in trace["traceEvents"]:
        kind, row = event["ph"], (event["pid"], event["tid"])
        if kind == "M":
            named.add((event["name"], *row))
            if event["name"] == "process_name":
                processes.add(event["pid"])
            continue
        begin = nanoseconds(event["ts"])
        if kind == "X":
            rows.setdefault(row, []).append((begin, begin + nanoseconds(event["dur"])))
        elif kind in "sf":
            arrows.setdefault(event["id"], {})[kind] = (begin, row)
        elif kind not in "iC":
            problem(f"an event of kind {kind}")
    for row, slices in rows.items():
        for what in ("thread_name", "thread_sort_index"):
            if (what, *row) not in named:
                problem(f"row {row} has no {what}")
        check_nesting(slices)
    for ends in arrows.values():
        check_arrow(ends, rows)
    for process in processes:
        if ("process_sort_index", process, 0) not in named:
            problem(f"process {process} has no order")
    trace["arrows"] = arrows
    return trace


def check_arrow(ends, rows):
    if set(ends) != {"s", "f"} or ends["s"][0] > ends["f"][0]:
        problem(f"arrow {ends}")
    for when, row in ends.values():
        if row not in rows:
            problem(f"an arrow ends on row {row}, which has no spans")
