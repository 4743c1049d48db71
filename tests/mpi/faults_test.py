#!/usr/bin/env python3
"""Runs `faults` under mpiexec or treering-fork and checks that survivors name the dead rank soon, and that nothing stays behind.

usage: faults_test.py LAUNCHER FAULTS SPOOL_JSON SCENARIO RANKS NODE_MAP
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time

# Seconds that survivors may take in all; seconds, not milliseconds, since the machine may be busy.
GUARD = 60


def run(launcher: str, faults: str, scenario: str, ranks: int, node_map: str, directory: str) -> str:
    environment = dict(os.environ, TREERING_NODE_MAP=node_map, TREERING_CAUSE_FILE=os.path.join(directory, "cause"),
                       TREERING_TIMELINE=os.path.join(directory, "traces"), TREERING_SHUTDOWN_TIMEOUT_MS="20000")
    command = [launcher, "-n", str(ranks), faults, scenario]
    if os.path.basename(launcher) != "treering-fork":
        # In sessions of their own, because hydra 4.0.2 kills survivors in spite of its option now and then.
        command[1:1] = ["-disable-auto-cleanup"]
        command[-2:-2] = ["setsid", "-w"]
    began = time.monotonic()
    job = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, timeout=GUARD, check=False)
    print(job.stdout)
    print(f"took {time.monotonic() - began:.1f} s")
    return job.stdout


def check(output: str, scenario: str, ranks: int, causes: str) -> None:
    lines = dict(re.findall(r"survivor (\d+): (.*)", output))
    for rank in range(ranks):
        if rank == 1:
            assert str(rank) not in lines, "the victim survived"
            continue
        line = lines.get(str(rank))
        assert line, f"rank {rank} said nothing"
        assert "3 of 3 handles done" in line or "2 of 2 handles done" in line or "1 of 1" in line, line
        assert "rank 1" in line, f"rank {rank} does not name the victim: {line}"
        expected_code = 4 if scenario == "throw" else 5
        assert f"code {expected_code}," in line, line
        assert f"rank {rank}: 0 elements written after the end" in output, output
        if scenario != "throw":
            assert f"rank {rank}: " in causes, f"rank {rank} wrote no cause: {causes}"
    if scenario == "throw":
        assert "ended by an exception: rank 1 meets" in output



def check_trace(spool_json: str, directory: str, rank: int) -> None:
    """What a rank recorded can be read however its process ended."""
    path = os.path.join(directory, f"rank-{rank}")
    subprocess.run([spool_json, path + ".trace", path + ".converted.json"], check=True)
    with open(path + ".converted.json", encoding="utf-8") as file:
        events = json.load(file)
    assert any(event.get("cat") == "tensor" for event in events), f"rank {rank} traced no tensor"
    assert all(event["pid"] == rank for event in events), f"foreign events in {path}"


def leftovers(faults: str) -> list[str]:
    left = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.path.realpath(f"/proc/{process}/exe") == os.path.realpath(faults):
                left.append(process)
        except OSError:  # ended meanwhile
            continue
    return left


def main() -> int:
    launcher, faults, spool_json, scenario, ranks, node_map = *sys.argv[1:5], int(sys.argv[5]), sys.argv[6]
    with tempfile.TemporaryDirectory() as directory:
        output = run(launcher, faults, scenario, ranks, node_map, directory)
        for rank in range(ranks):
            check_trace(spool_json, os.path.join(directory, "traces"), rank)
        cause_file = os.path.join(directory, "cause")
        causes = ""
        if os.path.exists(cause_file):
            with open(cause_file, encoding="utf-8") as file:
                causes = file.read()
    check(output, scenario, ranks, causes)
    left = leftovers(faults)
    assert not left, f"processes left behind: {left}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
