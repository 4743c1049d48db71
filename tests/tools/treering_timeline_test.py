#!/usr/bin/env python3
"""treering-timeline from the outside, on traces of jobs in exact virtual time (timeline_sample.cpp).

usage: treering_timeline_test.py PROGRAM SAMPLE
"""

import json
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import chrome_trace

PROGRAM, SAMPLE = sys.argv[1], sys.argv[2]


def run(*arguments, status=0, most_memory=None):
    """most_memory: bytes of address space."""
    limit = (lambda: resource.setrlimit(resource.RLIMIT_AS, (most_memory, most_memory))) if most_memory else None
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=100, preexec_fn=limit)
    check(done.returncode == status, f"{arguments} ends with {status}", done)
    return done


def check(condition, what, done=None):
    if not condition:
        sys.exit(f"failed: {what}" + (f"\n{done.returncode}\n{done.stdout[:3000]}\n{done.stderr[:3000]}" if done else ""))


def close(value, wanted, part=0.02):
    return abs(value - wanted) <= part * abs(wanted)


def sample(folder, scenario, *numbers):
    path = folder / "-".join([scenario, *map(str, numbers)])
    subprocess.run([SAMPLE, path, scenario, *map(str, numbers)], check=True, timeout=60)
    return path


def summary(path):
    return json.loads(run("summary", path, "--json").stdout)


def test_late_rank(folder):
    result = summary(sample(folder, "late"))
    first = result["causes"][0]
    check(first["kind"] == "late_rank" and first["rank"] == 2 and result["slowest_rank"] == 2, f"rank 2 is named first: {first}")
    check(close(first["lost_ms_per_step"], 50, 0.001), f"50 ms of each step: {first}")
    check(first["tensor"] == "grad/05" and first["steps"] == 9, "it shows at the tensor before which it slept")
    check(close(result["step_ms"], 73.3) and close(result["exposed_ms"], 50.3), f"step and exposed: {result['step_ms']} {result['exposed_ms']}")
    check(result["clock_error_ms"] < 0.02, "clocks that are seconds apart and drift are one")


def test_order(folder):
    result = summary(sample(folder, "order"))
    first = result["causes"][0]
    check(first["kind"] == "order" and first["rank"] == 1 and result["slowest_rank"] == 1, f"rank 1's order is named first: {first}")
    check(close(first["lost_ms_per_step"], 19, 0.001), f"the first tensor is held up by all others: {first}")
    check("late_rank" not in [cause["kind"] for cause in result["causes"]], "its waits are not blamed on it twice")


def test_huge_tensor(folder):
    result = summary(sample(folder, "huge"))
    first = result["causes"][0]
    check(first["kind"] == "huge_tensor" and first["tensor"] == "grad/07" and first["knob"] == "TREERING_PIECE_LIMIT", f"the huge tensor is named first: {first}")
    check(close(first["lost_ms_per_step"], 105), f"its time: {first}")
    check(result["slowest_rank"] is None, "no rank is slow")


def test_slow_link(folder):
    result = summary(sample(folder, "slow"))
    first = result["causes"][0]
    check(first["kind"] == "slow_link" and first["rank"] is not None and first["peer"] is not None, f"a link is named first: {first}")
    check(close(first["lost_ms_per_step"], 102), f"its time: {first}")
    check(close(result["links"][0]["bytes_per_second"], 25.7e6), "its rate")
    check(result["slowest_rank"] is None, "no rank is slow")


def test_normal(folder):
    path = sample(folder, "normal")
    result = summary(path)
    check(result["slowest_rank"] is None and result["steps"] == 10 and result["missing_ranks"] == [], "nothing stands out")
    lost = [cause["lost_ms"] for cause in result["causes"]]
    check(lost == sorted(lost, reverse=True), "causes in the order of lost time")
    for rate in ("achieved_bytes_per_second", "best_bytes_per_second"):
        check(close(result[rate], 1.63e9), f"{rate}: {result[rate]}")
    check(result["batches"]["count"] == 200 and result["batches"]["cut_because"] == {"network idle": 200}, "batches")
    text = run("summary", path).stdout
    for wanted in ("10 steps", "Slowest rank: none", "grad/00", "Achieved"):
        check(wanted in text, f"the text says {wanted}")


def test_merge(folder):
    path = sample(folder, "late")
    trace = merged(folder, path)
    slices = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    check(len([event for event in slices if event["cat"] == "tensor"]) == 4 * 200, "a span for each tensor and rank")
    check({event["pid"] for event in slices} == {0, 1, 2, 3}, "a process for each rank")
    check(len(trace["arrows"]) == 4 * 200, "an arrow to each batch of each rank")
    late = [ends["s"][1][0] for ends in trace["arrows"].values()]
    check(late.count(2) > 4 * 100, "most arrows begin at rank 2")
    window = merged(folder, path, "--from", 100, "--to", 200)
    times = [event["ts"] for event in window["traceEvents"] if event["ph"] != "M"]
    check(0 < len(times) < len(trace["traceEvents"]) / 3 and max(times) <= 300_000, "a window, with what hangs over its ends")
    run("merge", path, "-o", folder / "x.json", "--from", 5, "--to", 5, status=2)
    run("merge", path, "-o", "/dev/full", status=1)


def merged(folder, path, *more):
    """Plain and compressed are the same, and right."""
    for name in ("merged.json", "merged.json.gz"):
        run("merge", path, "-o", folder / name, *more)
    check(chrome_trace.load(folder / "merged.json") == chrome_trace.load(folder / "merged.json.gz"), "compressed is the same")
    return chrome_trace.check(folder / "merged.json")


def test_awkward(folder):
    for scenario in (("names",), ("empty",), ("empty", 1), ("normal", 1, 1, 1), ("normal", 1), ("names", 2, 3, 25)):
        path = sample(folder, *scenario)
        trace = merged(folder, path)
        summary(path)
        run("check", path)
        facts_of(folder, path)
        if scenario == ("names",):
            names = {event["name"] for event in trace["traceEvents"]}
            check({'quo"te', "back\\slash", "new\nline\ttab\x01", "x" * 4096, "</script><b>&amp;"} <= names, "names survive")
            check(any("\ufffd" in name for name in names), "what is no UTF-8 is replaced")


def facts_of(folder, path):
    run("report", path, "-o", folder / "report.html")
    page = (folder / "report.html").read_text(encoding="utf-8")
    check(page.count("</script>") == 3, "no name ends a script element")
    check(not re.search(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//|url\(|@import|\bfetch\(|XMLHttp""", page), "nothing is loaded")
    return json.loads(re.search(r'id="facts">(.*?)</script>', page, re.DOTALL).group(1))


def test_report(folder):
    facts = facts_of(folder, sample(folder, "late"))
    check(facts["summary"]["slowest_rank"] == 2 and len(facts["ranks"]) == 4 and len(facts["steps"]) == 10, "the page's facts")
    step = facts["steps"][5]
    check(step["last"] == 2 and step["begin"] <= step["parts"][0] and step["parts"] == sorted(step["parts"]) and
          close(step["parts"][1] - step["parts"][0], 50_000, 0.01), f"the critical path goes through rank 2: {step}")


def test_torn(folder):
    """Files cut at any byte: merge makes valid JSON of what is left and says what is not."""
    whole, torn = sample(folder, "late"), folder / "torn"
    random.seed(7)
    sizes = [path.stat().st_size for path in sorted(whole.iterdir())]
    for number in range(100):
        shutil.rmtree(torn, ignore_errors=True)
        shutil.copytree(whole, torn)
        for path, size in zip(sorted(torn.iterdir()), sizes):
            if random.random() < 0.5:
                path.write_bytes(path.read_bytes()[:random.randrange(size + 1)])
        done = subprocess.run([PROGRAM, "merge", torn, "-o", folder / "torn.json"], capture_output=True, text=True, timeout=60)
        if done.returncode == 0:
            chrome_trace.check(folder / "torn.json")
        else:
            check(done.returncode == 1 and "holds no whole recording" in done.stderr, f"cut {number} is said", done)


def test_missing_and_damaged(folder):
    path = sample(folder, "late", 4, 10, 21)
    (path / "rank-1.trace").unlink()
    data = bytearray((path / "rank-3.trace").read_bytes())
    data[100] ^= 0x10
    (path / "rank-3.trace").write_bytes(data)
    (path / "rank-9.trace").write_bytes(b"no trace at all")
    (path / "notes.txt").write_text("not ours")
    done = run("merge", path, "-o", folder / "missing.json")
    for wanted in ("no file of rank 1", "rank-9.trace: holds no whole recording", "rank-3.trace"):
        check(wanted in done.stderr, f"stderr says {wanted}", done)
    chrome_trace.check(folder / "missing.json")
    check(summary(path)["missing_ranks"][0] == 1, "the summary names it")
    check("fault: " in run("check", path, status=1).stdout, "check is not content")
    run("check", folder / "nowhere", status=1)
    run("check", status=2)


def test_diff(folder):
    result = json.loads(run("diff", sample(folder, "normal"), sample(folder, "late"), "--json").stdout)
    cause = result["causes"][0]
    check(cause["what"] == "late_rank 2" and close(cause["after"] - cause["before"], 50), f"what changed: {cause}")
    step = result["figures"][0]
    check(step["what"] == "step" and close(step["after"] - step["before"], 50), f"the step: {step}")
    text = run("diff", sample(folder, "normal"), sample(folder, "late")).stdout
    check("late_rank 2" in text and "+215 %" in text, f"in words: {text}")


def test_top(folder):
    done = run("top", sample(folder, "late"), "--times", 2, "--every", 0.05)
    check(done.stdout.count("4 of 4 ranks write") == 2, "two pictures", done)
    check("rank 2 is waited for most" in done.stdout, "who is last", done)
    check(all(len(line) <= 120 for line in done.stdout.splitlines()), "it is not wide", done)


def test_million(folder):
    path = sample(folder, "normal", 64, 40, 40)
    lines = run("check", path).stdout
    records = sum(int(count) for count in re.findall(r"(\d+) records", lines))
    size = sum(file.stat().st_size for file in path.iterdir())
    check(records >= 1_000_000 and size / records < 60, f"{records} records in {size} bytes")
    begin = time.monotonic()
    run("merge", path, "-o", folder / "million.json", most_memory=500 << 20)
    seconds = time.monotonic() - begin
    check(seconds < 10, f"merge took {seconds} s")
    print(f"{records} records, {size / records:.1f} bytes each; merged in {seconds:.1f} s within 500 MiB of address space")


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            with tempfile.TemporaryDirectory() as scratch:
                test(Path(scratch))
    print("treering-timeline does what it says")
