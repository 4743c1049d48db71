#!/usr/bin/env python3
"""Every header compiles alone, with the compiler and the flags of a configured build folder.

Headers of a device or library that this build leaves out (no source of their folder is compiled) are left out too.

usage: headers.py BUILD [ROOT]
"""

import os
import sys
from pathlib import Path

import compile_database
import source_tree as tree

OPTIONAL = ("device/cuda", "transport/nccl")


def main(build, root):
    commands = compile_database.entries(build)
    folders = {os.path.dirname(os.path.relpath(source, root)) for source in commands}
    left_out = tuple(folder + "/" for folder in OPTIONAL if folder not in folders)
    sources = [arguments for source, arguments in commands.items() if source.endswith(".cpp")]
    flags = list(dict.fromkeys(flag for arguments in sources for flag in compile_database.flags(arguments)
                               if not flag.startswith("-m") and not flag.startswith("-fsanitize")))
    command = [sources[0][0], *flags, "-fsyntax-only", "-x", "c++", "-"]
    graph, tasks = tree.include_graph(root), {}
    for name in graph:
        if name.endswith(tree.HEADERS) and not name.startswith(left_out):
            spelled = name.removeprefix("include/")
            tasks[name] = (tree.fingerprint(root, graph, name, *command), command, f'#include "{spelled}"\n')
    if left_out:
        print("not part of this build: " + " ".join(left_out))
    return compile_database.run_all(tasks, compile_database.Successes(Path(build) / "headers_alone.json"), build)


if __name__ == "__main__":
    sys.exit(main(os.path.realpath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else str(tree.default_root())))
