#!/usr/bin/env python3
"""Who may know whom: the include rules of the rooms, no cycles, and who may touch the environment, MPI, NCCL and CUDA.

usage: layers.py [ROOT]
"""

import re
import sys

import source_tree as tree

MAY_INCLUDE = {
    "treering": {"treering"},
    "base": {"base"},
    "topology": {"topology", "base"},
    "device": {"device", "base"},
    "transport": {"transport", "base", "device"},
    "timeline": {"timeline", "base"},
    "fusion": {"fusion", "base", "device"},
    "controller": {"controller", "base", "transport", "timeline"},
    "ops": {"ops", "base", "topology", "device", "transport", "timeline"},
    "engine": set(tree.ROOMS),
    "tests": {*tree.ROOMS, *tree.OUTER},
    "bench": {*tree.ROOMS, "bench"},
    "examples": {"examples"},
    "tools": {*tree.ROOMS, "tools"},
}
SINGLE_FILES = {"ops": {"fusion/batch.h"}}

# Foreign headers and the only folders that may include them. Examples are users' programs, so they may start MPI.
FOREIGN = [
    (re.compile(r"^mpi\.h$"), ("transport/mpi/", "tests/", "bench/", "examples/")),
    (re.compile(r"^nccl\w*\.h$"), ("transport/nccl/", "device/cuda/")),
    (re.compile(r"^(cuda|cub|thrust|cooperative_groups)[\w/]*(\.h|\.cuh)?$"),
     ("transport/nccl/", "device/cuda/", "examples/train_gpu/", "tests/gpu/")),
]
STANDARD = re.compile(r"^[a-z_]+$")

ENVIRONMENT = re.compile(r"\b(?:secure_)?getenv\s*\(|\benviron\b")
MAY_READ_ENVIRONMENT = ("base/", "tests/base/", "tests/hosts/finalize_shim.c")  # the shim stands in for the MPI library

FEATURE = re.compile(r"^[ \t]*#[ \t]*(?:el)?if(?:n?def)?\b(?P<condition>(?:[^\n\\]|\\\n|\\.)*)", re.MULTILINE)
FEATURE_WORD = re.compile(r"\b(?:TREERING_)?(?:HAVE|WITH|USE|ENABLE)_\w+|\b__CUDACC\w*|\b__CUDA_ARCH\w*|\bTREERING_CUDA\b|"
                          r"\b__has_include\b")
MAY_ASK_FEATURES = ("device/cuda/", "transport/nccl/")


def allowed(name, target):
    room, other = tree.room_of(name), tree.room_of(target)
    return other == "treering" or other in MAY_INCLUDE[room] or target in SINGLE_FILES.get(room, ())


def check_include(name, include):
    room = tree.room_of(name)
    if include.target:
        if not allowed(name, include.target):
            return f"{room} must not include {include.target}"
        return None
    if include.quoted:
        return f'"{include.path}" is not a file of the tree; write paths from the root, foreign headers in <>'
    if room == "treering" and not STANDARD.match(include.path):
        return f"the public face includes the standard library only, not <{include.path}>"
    for pattern, places in FOREIGN:
        if pattern.match(include.path) and not name.startswith(places):
            return f"<{include.path}> belongs to {', '.join(places)} only"
    return None


def check_includes(graph):
    for name, includes in graph.items():
        if tree.room_of(name) not in MAY_INCLUDE:
            yield f"{name}:1: lies in no room"
            continue
        for include in includes:
            problem = check_include(name, include)
            if problem:
                yield f"{name}:{include.line}: {problem}"


def check_cycles(graph):
    """Depth-first search; every edge back to a file on the current path closes a cycle."""
    state, path = {}, []

    def visit(name):
        state[name] = "open"
        path.append(name)
        for include in graph.get(name, []):
            if include.target and state.get(include.target) == "open":
                circle = path[path.index(include.target):] + [include.target]
                yield f"{name}:{include.line}: include cycle {' -> '.join(circle)}"
            elif include.target and include.target not in state:
                yield from visit(include.target)
        path.pop()
        state[name] = "done"

    for start in graph:
        if start not in state:
            yield from visit(start)


def check_words(root, graph):
    for name in graph:
        text = tree.without_comments(tree.read(root, name))
        if not name.startswith(MAY_READ_ENVIRONMENT):
            for match in ENVIRONMENT.finditer(text):
                yield f"{name}:{tree.line_of(text, match.start())}: only base reads the environment"
        if not name.startswith(MAY_ASK_FEATURES):
            for match in FEATURE.finditer(text):
                if FEATURE_WORD.search(match.group("condition")):
                    yield (f"{name}:{tree.line_of(text, match.start())}: features are chosen by the build "
                           "(one file or another), not by #if")


def violations(root):
    graph = tree.include_graph(root)
    return [*check_includes(graph), *check_cycles(graph), *check_words(root, graph)]


if __name__ == "__main__":
    where = sys.argv[1] if len(sys.argv) > 1 else tree.default_root()
    sys.exit(tree.report(violations(where), "every room includes only what it may"))
