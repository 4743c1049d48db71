#!/usr/bin/env python3
"""Words that have no place in the tree: notes to self instead of issues, paths outside the tree, package servers.

usage: words.py [ROOT]
"""

import re
import sys
from pathlib import Path

import source_tree as tree

# Spelled in pieces, so that this file does not find itself.
FORBIDDEN = [
    (re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b"), "finish it or file an issue"),
    (re.compile(r"(?<![\w.}$])/wo" + r"rk/|\.\./sha" + r"red\b|/ho" + r"me/\w"), "a path outside the tree"),
    (re.compile(r"\b(?:deb\.debian|snapshot\.debian|pypi|pythonhosted|crates|npmjs|proxy\.golang|conda|"
                r"registry\.\w+)\.(?:org|io|com)\b"), "a package server; name the package instead"),
]
BINARY = (".png", ".gz", ".pdf")


def violations(root):
    found = []
    for name in tree.all_files(root):
        if name.endswith(BINARY) or (Path(root) / name).is_symlink():
            continue
        for number, line in enumerate(tree.read(root, name).splitlines(), 1):
            found += [f"{name}:{number}: '{match.group(0)}': {why}"
                      for pattern, why in FORBIDDEN for match in pattern.finditer(line)]
    return found


if __name__ == "__main__":
    where = sys.argv[1] if len(sys.argv) > 1 else tree.default_root()
    sys.exit(tree.report(violations(where), "no forbidden words"))
