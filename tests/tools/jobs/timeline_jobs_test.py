#!/usr/bin/env python3
"""Whole jobs with something wrong on purpose: `summary` names it first. Exits as the job does if that fails: with 77 where
hosts.sh says "skipped".

usage: timeline_jobs_test.py PROGRAM SCENARIO COMMAND...   (the command runs timeline_injected, which gets SCENARIO;
       "{}" in it stands for the directory of the traces)
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import chrome_trace

PROGRAM, SCENARIO, COMMAND = sys.argv[1], sys.argv[2], sys.argv[3:]


def check(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def tool(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=60)
    check(done.returncode == 0, f"{arguments}: {done.stdout[-2000:]} {done.stderr[-2000:]}")
    return done.stdout


def check_first(cause, result):
    if SCENARIO == "late":
        check(cause["kind"] == "late_rank" and cause["rank"] == 2, "rank 2 is late")
        check(45 < cause["lost_ms_per_step"] < 150, "by 50 ms in each step, and what a busy machine adds")
        check(result["slowest_rank"] == 2, "and the slowest")
        check(result["exposed_ms"] > 40, "which the others could only wait for")
    if SCENARIO == "order":
        check(cause["kind"] == "order" and cause["rank"] == 1, "rank 1 has another order")
    if SCENARIO == "huge":
        check(cause["kind"] == "huge_tensor" and cause["tensor"] == "grad/09", "the huge tensor")
    if SCENARIO == "slow":
        check(cause["kind"] == "slow_link" and cause["rank"] // 2 != cause["peer"] // 2, "a link between the hosts")


def main(folder):
    traces = folder / "traces"
    command = [part.replace("{}", str(traces)) for part in COMMAND] + [SCENARIO]
    job = subprocess.run(command, timeout=110, check=False, env={**os.environ, "TREERING_TIMELINE": str(traces)})
    if job.returncode != 0:
        sys.exit(job.returncode)
    print(tool("check", traces))
    print(tool("summary", traces))
    result = json.loads(tool("summary", traces, "--json"))
    check(result["missing_ranks"] == [] and result["ranks"] == 4, "all ranks are there")
    check(result["steps"] == 12, f"12 steps, not {result['steps']}")
    check_first(result["causes"][0], result)
    tool("merge", traces, "-o", folder / "merged.json")
    chrome_trace.check(folder / "merged.json")
    tool("report", traces, "-o", folder / "report.html")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(Path(scratch))
