#!/usr/bin/env python3
"""Files of at most 400 lines, functions of at most 50, or a reason in size_exceptions.txt.

Functions are found by their braces: a `{` at namespace or class scope whose head has parentheses opens one, and it lasts
from the first line of its head to its closing brace. Exceptions are lines "PATH: reason" or "PATH NAME: reason"; one that
is no longer needed is itself a violation.

usage: sizes.py [ROOT]
"""

import re
import sys
from pathlib import Path

import source_tree as tree

FILE_LIMIT = 400
FUNCTION_LIMIT = 50
EXCEPTIONS = "tests/scripts/size_exceptions.txt"
SIZED = tree.CODE + (".py", ".sh")

TEMPLATE = re.compile(r"\btemplate\s*<[^{}();]*?>(?=\s*(?:requires\b|class\b|struct\b|[\w:\[]))")
CONTAINER = re.compile(r"^\s*(?:\[\[.*?\]\]\s*)?(?:inline\s+|typedef\s+|export\s+|static\s+|const\w*\s+)*"
                       r"(?:namespace|class|struct|union|enum|extern\s+\")")
INITIALISERS = re.compile(r"\)\s*(?:noexcept\s*(?:\([^)]*\))?\s*)?:(?!:)[^;]*[\w>]\s*$")
NAME = re.compile(r'([~\w:]+(?:\s*(?:==|!=|<=>|<|>|\+|-|\*|/|\[\]|\(\)|=)\s*)?)\s*\(')


def functions(text):
    """(name, first line, length) of every function, from the original text."""
    original, text = text, tree.without_comments(text)
    text = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda match: re.sub(r"[^\n]", " ", match.group(0)), text,
                  flags=re.MULTILINE)
    start, at = 0, 0
    while at < len(text):
        mark = text[at]
        if mark == "{":
            head = text[start:at]
            if opens_container(head):
                start = at + 1
            elif opens_initialiser(head):
                at = closing(text, at)
            else:
                end = closing(text, at)
                first = start + len(head) - len(head.lstrip())
                if "(" in head:
                    yield name_of(original[first:at]), tree.line_of(text, first), text.count("\n", first, end) + 1
                start, at = end + 1, end
        elif mark in ";}":
            start = at + 1
        at += 1


def opens_container(head):
    bare = TEMPLATE.sub(" ", head)
    return bool(CONTAINER.match(bare)) and "(" not in re.sub(r"\b(?:alignas|__attribute__|requires)\s*\(.*?\)", "", bare)


def opens_initialiser(head):
    return bool(INITIALISERS.search(head)) and "?" not in head


def closing(text, at):
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] == "{") - (text[place] == "}")
        if depth == 0:
            return place
    return len(text) - 1


def name_of(head):
    case = re.match(r'\s*(TEST_CASE\w*|SCENARIO)\s*\(\s*"((?:\\.|[^"\\])*)"', head)
    if case:
        return case.group(2)
    match = NAME.search(TEMPLATE.sub(" ", head))
    return match.group(1).strip() if match else head.strip()[:40]


def read_exceptions(root):
    path = Path(root) / EXCEPTIONS
    if not path.is_file():
        return {}
    entries = {}
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            what, _, reason = line.partition(": ")
            entries[what.strip()] = reason.strip()
    return entries


def oversizes(root):
    """(what the exception would be called, violation) for everything over the limits."""
    for name in tree.all_files(root):
        if not name.endswith(SIZED):
            continue
        text = tree.read(root, name)
        lines = text.count("\n")
        if lines > FILE_LIMIT:
            yield name, f"{name}:1: {lines} lines; the limit is {FILE_LIMIT}"
        if not name.endswith(tree.CODE):
            continue
        for function, line, length in functions(text):
            if length > FUNCTION_LIMIT:
                yield f"{name} {function}", f"{name}:{line}: {function} has {length} lines; the limit is {FUNCTION_LIMIT}"


def violations(root):
    exceptions, needed, found = read_exceptions(root), set(), []
    for what, violation in oversizes(root):
        needed.add(what)
        if not exceptions.get(what):
            found.append(violation)
    found += [f"{EXCEPTIONS}: '{what}' needs no exception any more" for what in exceptions if what not in needed]
    return found


if __name__ == "__main__":
    where = sys.argv[1] if len(sys.argv) > 1 else tree.default_root()
    sys.exit(tree.report(violations(where), "every file and function is short, or has a reason"))
