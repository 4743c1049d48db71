#!/usr/bin/env python3
"""What treering-fork does when programs end, and when it is itself killed.

usage: launch_test.py TREERING_FORK
"""

import os
import signal
import subprocess
import sys


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.argv[1], *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30,
                          check=False)


def check_statuses() -> None:
    assert run("-n", "3", "true").returncode == 0
    job = run("-n", "3", "sh", "-c", 'case $TREERING_SEAT in 1/*) exit 7;; 2/*) kill -9 $$;; esac')
    assert job.returncode == 7, job
    assert "rank 1 ended with status 7" in job.stderr and "rank 2 ended with status 137" in job.stderr, job
    assert run("-n", "2", "/no/such/program").returncode == 127
    for wrong in (["-n", "0", "true"], ["-n", "2"], ["-n", "x", "true"], ["-n", "257", "true"], ["true"]):
        assert run(*wrong).returncode == 2, wrong


def check_seats() -> None:
    """Each rank has the sockets that its seat names, and no others; two sockets of a pair are not in one process."""
    job = run("-n", "3", "sh", "-c", 'echo "$TREERING_SEAT: $(ls -l /proc/$$/fd | grep -c socket:)"')
    counts = {}
    for line in job.stdout.splitlines():
        seat, count = line.split(": ")
        rank, size, sockets = seat.split("/")
        assert size == "3" and int(count) == len(sockets.split(",")), line
        counts[rank] = int(count)
    assert counts == {"0": 2, "1": 1, "2": 1}, job


def check_killed_launcher() -> None:
    """The ranks die with their launcher: the pipe that they hold open reaches its end."""
    with subprocess.Popen([sys.argv[1], "-n", "2", "sh", "-c", "echo up; exec sleep 1000"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE) as launcher:
        for _ in range(2):
            assert launcher.stdout.readline() == b"up\n"
        os.kill(launcher.pid, signal.SIGKILL)
        assert launcher.stdout.read() == b""


if __name__ == "__main__":
    check_statuses()
    check_seats()
    check_killed_launcher()
