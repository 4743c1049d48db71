#!/usr/bin/env python3
"""Adds up what `meson test` wrote in several build folders; the last line printed is "N passed, N failed".

A stage that failed without naming a failed test, and a stage that ran nothing, count as one failure each; skipped tests
count as nothing, but are listed. Exits zero only if something passed and nothing failed.

usage: count_results.py "TITLE|EXIT STATUS|testlog.json"...
"""

import json
import sys

PASSED = ("OK", "EXPECTEDFAIL")
SKIPPED = ("SKIP",)


def read_log(path):
    """(name, result) of every test; nothing for a file that is not there. A torn last line is a failed test."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = [line for line in file if line.strip()]
    except OSError:
        return []
    results = []
    for line in lines:
        try:
            entry = json.loads(line)
            results.append((str(entry["name"]), str(entry["result"])))
        except (ValueError, KeyError, TypeError):
            results.append(("unreadable line in " + path, "ERROR"))
    return results


def judge(status, results):
    """Names of passed, failed and skipped tests of one stage."""
    passed = [name for name, result in results if result in PASSED]
    skipped = [name for name, result in results if result in SKIPPED]
    failed = [f"{name} ({result})" for name, result in results if result not in PASSED + SKIPPED]
    if status != 0 and not failed:
        failed.append(f"ended with status {status} before a test could say why")
    elif not passed and not failed:
        failed.append("no test ran")
    return passed, failed, skipped


def main(stages):
    passed_sum, failed_sum = 0, 0
    for stage in stages:
        title, status, log = stage.split("|", 2)
        passed, failed, skipped = judge(int(status), read_log(log))
        passed_sum += len(passed)
        failed_sum += len(failed)
        print(f"{title}: {len(passed)} passed, {len(failed)} failed, {len(skipped)} skipped")
        for name in failed:
            print(f"  FAILED   {name}")
        for name in skipped:
            print(f"  SKIPPED  {name} (this machine does not allow it; its own output says what is missing)")
    if passed_sum + failed_sum == 0:
        failed_sum = 1
    print(f"{passed_sum} passed, {failed_sum} failed", flush=True)
    return 1 if failed_sum else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
