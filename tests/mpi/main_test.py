#!/usr/bin/env python3
"""The main of the mpiexec tests tells failures of single ranks and hangs: runs the sample's cases that fail on purpose.

usage: main_test.py MPIEXEC SAMPLE
"""

import subprocess
import sys
import unittest


class MainTest(unittest.TestCase):
    def run_case(self, case, ranks, *more):
        run = subprocess.run([*MPIEXEC, "-n", str(ranks), SAMPLE, "--no-skip", f"--test-case={case}", *more],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             timeout=60, check=False)
        return run.returncode, run.stdout

    def fails(self, case, ranks, *more, says=()):
        status, output = self.run_case(case, ranks, *more)
        self.assertNotEqual(status, 0, output)
        for words in says:
            self.assertIn(words, output)

    def test_good_case_passes(self):
        status, output = self.run_case("main*", 3, "--ranks=3")
        self.assertEqual(status, 0, output)

    def test_check_that_fails_on_one_rank(self):
        self.fails("purpose: check fails*", 3, says=["[rank 1]", "CHECK( rank() != 1 )"])

    def test_the_rank_must_exist_to_fail(self):
        status, output = self.run_case("purpose: check fails*", 1)
        self.assertEqual(status, 0, output)

    def test_exception_on_one_rank(self):
        self.fails("purpose: exception*", 2, says=["[rank 1]", "thrown on purpose"])

    def test_require_that_leaves_the_others_waiting(self):
        self.fails("purpose: require*", 2, says=["[rank 1]", "REQUIRE( rank() != 1 )", "have not finished it"])

    def test_hang_is_named(self):
        self.fails("purpose: rank 1 hangs", 2, "--watchdog=2",
                   says=["rank 1: after 2 s still in: purpose: rank 1 hangs", "dump of rank 1", "rank 0: after 2 s"])

    def test_wrong_number_of_ranks(self):
        self.fails("main*", 2, "--ranks=3", says=["needs 3 ranks and was started with 2"])


if __name__ == "__main__":
    MPIEXEC, SAMPLE = sys.argv[1:-1], sys.argv[-1]
    unittest.main(argv=sys.argv[:1])
