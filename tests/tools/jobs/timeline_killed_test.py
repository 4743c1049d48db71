#!/usr/bin/env python3
"""Jobs of one rank that are killed at random moments: what is left merges into valid JSON.

usage: timeline_killed_test.py PROGRAM INJECTED [DEATHS]
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import chrome_trace

PROGRAM, INJECTED = sys.argv[1], sys.argv[2]
DEATHS = int(sys.argv[3]) if len(sys.argv) > 3 else 100
AT_ONCE = 4
LONGEST = 1.2  # seconds; the job takes less


def check(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def die(folders):
    """Starts one job for each folder and kills each at a moment of its own."""
    jobs = []
    for folder in folders:
        job = subprocess.Popen([INJECTED, "normal"], env={**os.environ, "TREERING_TIMELINE": str(folder)}, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        jobs.append((time.monotonic() + random.uniform(0, LONGEST), job))
    for moment, job in sorted(jobs, key=lambda each: each[0]):
        time.sleep(max(0, moment - time.monotonic()))
        job.send_signal(random.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM)))
        job.wait()


def look_at(folder):
    """The number of spans; None if it died before the first block was written."""
    merged = folder / "merged.json"
    done = subprocess.run([PROGRAM, "merge", folder, "-o", merged], capture_output=True, text=True, timeout=60)
    if done.returncode == 0:
        return sum(event["ph"] == "X" for event in chrome_trace.check(merged)["traceEvents"])
    early = ("there is no", "no .trace file", "holds no whole recording")
    check(done.returncode == 1 and any(reason in done.stderr for reason in early), f"merge says what is missing: {done.stderr}")
    return None


def main(scratch):
    random.seed(11)
    spans = []
    for first in range(0, DEATHS, AT_ONCE):
        folders = [scratch / str(number) for number in range(first, min(DEATHS, first + AT_ONCE))]
        die(folders)
        spans += [look_at(folder) for folder in folders]
    left = [count for count in spans if count is not None]
    print(f"{DEATHS} deaths, {len(left)} left a trace, of up to {max(left, default=0)} spans")
    check(len(left) > DEATHS / 4 and max(left) > 100, "most left something")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(Path(folder))
