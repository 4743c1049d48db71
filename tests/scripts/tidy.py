#!/usr/bin/env python3
"""clang-tidy over every C++ source of a build folder that clang configured; only what changed since it last passed.

Tests are left out: doctest's macros trip its checks and double its time.

usage: tidy.py BUILD [SOURCE...]
"""

import os
import sys
from pathlib import Path

import compile_database
import source_tree as tree


def configuration(root):
    return "".join(tree.read(root, name) for name in tree.all_files(root) if name.endswith(".clang-tidy"))


def main(build, only):
    root = str(tree.default_root())
    graph, settings, tasks = tree.include_graph(root), configuration(root), {}
    for source, arguments in compile_database.entries(build).items():
        name = os.path.relpath(source, root)
        if not name.endswith(".cpp") or name not in graph or name.startswith("tests/") or (only and name not in only):
            continue
        command = ["clang-tidy-19", "--quiet", "-p", build, "--warnings-as-errors=*", source]
        tasks[name] = (tree.fingerprint(root, graph, name, settings, *arguments), command, "")
    if not tasks:
        print("no source to look at")
        return 1
    return compile_database.run_all(tasks, compile_database.Successes(Path(build) / "tidied.json"), root)


if __name__ == "__main__":
    sys.exit(main(os.path.realpath(sys.argv[1]), set(sys.argv[2:])))
