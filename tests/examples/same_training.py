#!/usr/bin/env python3
"""The same global batches on 1, 2 and 4 ranks must give the same training.

usage: same_training.py TRAIN_FASHION [MPIEXEC]

Compares the loss of every step (float tolerance: sums are rounded in another order) and lets every run check that its
ranks end with the same bits. The last batch has two images, so on four ranks two have nothing to do in it.
"""
import os
import subprocess
import sys
import tempfile

ARGUMENTS = ["--epochs", "2", "--limit", "2498", "--batch", "96", "--hidden", "64,32", "--ranks-check"]
TOLERANCE = 1e-3  # relative; rounding differs by some 1e-6 at first and grows from step to step


def losses(program, mpiexec, ranks, directory, *more):
    log = os.path.join(directory, f"loss-{ranks}{''.join(more)}")
    command = [mpiexec, "-n", str(ranks), program, *ARGUMENTS, *more, "--loss-log", log]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=240)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {run.returncode}:\n{run.stdout}")
    with open(log) as file:
        return [float(line) for line in file]


def compare(name, expected, found):
    if len(expected) != len(found):
        sys.exit(f"{name}: {len(found)} steps, not {len(expected)}")
    for step, (one, other) in enumerate(zip(expected, found)):
        if not abs(one - other) <= TOLERANCE * abs(one):
            sys.exit(f"{name}: loss of step {step} is {other}, on one rank it is {one}")
    worst = max(abs(one - other) / abs(one) for one, other in zip(expected, found))
    print(f"{name}: {len(found)} steps agree with one rank, largest relative difference {worst:.2g}")


def main():
    program = sys.argv[1]
    mpiexec = sys.argv[2] if len(sys.argv) > 2 else "mpiexec"
    with tempfile.TemporaryDirectory() as directory:
        expected = losses(program, mpiexec, 1, directory)
        if len(expected) != 2 * 27 or not expected[-2] < 0.5 * expected[0]:
            sys.exit(f"one rank does not learn: {expected}")
        compare("2 ranks", expected, losses(program, mpiexec, 2, directory))
        compare("2 ranks, ordinary memory", expected, losses(program, mpiexec, 2, directory, "--ordinary-memory"))
        compare("4 ranks", expected, losses(program, mpiexec, 4, directory))


main()
