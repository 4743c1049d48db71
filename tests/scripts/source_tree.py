"""The source files of the tree, without comments and strings where asked, and who includes whom."""

import hashlib
import os
import re
import subprocess
from pathlib import Path

ROOMS = ("treering", "base", "topology", "device", "transport", "timeline", "fusion", "controller", "ops", "engine")
OUTER = ("tests", "bench", "examples", "tools")  # may include every room
HEADERS = (".h", ".hpp", ".cuh")
CODE = HEADERS + (".c", ".cpp", ".cu")

TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|"""
    r"""(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'""",
    re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


def default_root():
    return Path(__file__).resolve().parents[2]


def all_files(root):
    """Paths relative to root of what git tracks or would track; of everything where there is no git."""
    def git(*arguments):
        return subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=False)

    listed, inside = git("ls-files", "-coz", "--exclude-standard"), git("rev-parse", "--show-prefix")
    if listed.returncode == 0 and inside.stdout.strip() == "" and listed.stdout:
        return sorted({name for name in listed.stdout.split("\0") if name and (Path(root) / name).is_file()})
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in ("build", "traces", ".git")]
        found += [str((Path(folder) / name).relative_to(root)) for name in names]
    return sorted(found)


def code_files(root):
    return [name for name in all_files(root) if name.endswith(CODE)]


def read(root, name):
    return (Path(root) / name).read_text(encoding="utf-8", errors="replace")


def without_comments(text, keep_strings=False):
    """The same text with comments (and strings) blanked out; every character keeps its place."""
    def blank(match):
        token = match.group(0)
        if keep_strings and not token.startswith("/"):
            return token
        return re.sub(r"[^\n]", " ", token)
    return TOKEN.sub(blank, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def room_of(name):
    """The room that owns a file: first folder, except that include/treering is called treering."""
    parts = name.split("/")
    if len(parts) > 2 and parts[0] == "include":
        return parts[1]
    return parts[0] if len(parts) > 1 else ""


class Include:
    def __init__(self, line, quoted, path, target):
        self.line = line
        self.quoted = quoted
        self.path = path
        self.target = target  # file of the tree, or None for what comes from outside


def includes_of(root, name):
    text = without_comments(read(root, name), keep_strings=True)
    result = []
    for match in INCLUDE.finditer(text):
        path = match.group(2)
        candidates = [path, "include/" + path]
        if match.group(1) == '"' and room_of(name) in OUTER:  # these may name their neighbours shortly
            candidates.append(os.path.normpath(os.path.join(os.path.dirname(name), path)))
        target = next((place for place in candidates if (Path(root) / place).is_file()), None)
        result.append(Include(line_of(text, match.start()), match.group(1) == '"', path, target))
    return result


def include_graph(root):
    return {name: includes_of(root, name) for name in code_files(root)}


def closure(graph, name):
    """A file and every file of the tree that it reaches by includes."""
    reached, todo = set(), [name]
    while todo:
        current = todo.pop()
        if current in reached:
            continue
        reached.add(current)
        todo += [include.target for include in graph.get(current, []) if include.target]
    return reached


def fingerprint(root, graph, name, *more):
    """Changes whenever the file, anything of the tree it includes, or one of `more` changes."""
    digest = hashlib.sha256()
    for part in sorted(closure(graph, name)):
        digest.update(part.encode() + b"\0" + (Path(root) / part).read_bytes() + b"\0")
    for text in more:
        digest.update(text.encode() + b"\0")
    return digest.hexdigest()


def report(violations, good):
    """Prints and turns into an exit status."""
    for violation in violations:
        print(violation)
    print(f"{len(violations)} violations" if violations else good)
    return 1 if violations else 0
