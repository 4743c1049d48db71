#!/usr/bin/env python3
"""clang-format's opinion of every source file. `clang-format-19 -i FILE` mends.

usage: format.py [ROOT]
"""

import os
import shutil
import subprocess
import sys

import source_tree as tree

FORMATTER = "clang-format-19"


def main(root):
    if shutil.which(FORMATTER) is None:
        print(f"{FORMATTER} is not installed: ./dev setup")
        return 1
    # Dry runs of several files at once; the list is split over the processors.
    names, shares = tree.code_files(root), os.cpu_count() or 1
    runs = [subprocess.Popen([FORMATTER, "--dry-run", "-Werror", "--ferror-limit=3", *names[share::shares]], cwd=root)
            for share in range(shares) if names[share::shares]]
    failed = [run for run in runs if run.wait() != 0]
    print("format differs: clang-format-19 -i mends it" if failed else f"{len(names)} files are formatted")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else tree.default_root()))
