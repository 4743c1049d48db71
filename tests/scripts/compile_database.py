"""What Ninja would run for each source, and a way to run something for many files at once that remembers successes."""

import json
import os
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def entries(build):
    """{absolute source path: arguments}, compiler first, ccache left out."""
    found = {}
    for entry in json.loads((Path(build) / "compile_commands.json").read_text()):
        arguments = shlex.split(entry["command"])
        if os.path.basename(arguments[0]) == "ccache":
            arguments = arguments[1:]
        found[os.path.realpath(os.path.join(entry["directory"], entry["file"]))] = arguments
    return found


def flags(arguments):
    """Those arguments that say how to read a source, without what names inputs and outputs."""
    kept, skip = [], False
    for argument in arguments[1:]:
        if skip:
            skip = False
        elif argument in ("-o", "-MF", "-MQ", "-MT", "-c"):
            skip = True
        elif argument.startswith("-") and argument not in ("-MD", "-MMD", "-g"):
            kept.append(argument)
    return kept


class Successes:
    """Fingerprints of what has passed before, kept in the build folder."""

    def __init__(self, path):
        self.path = Path(path)
        try:
            self.known = json.loads(self.path.read_text())
        except (OSError, ValueError):
            self.known = {}

    def holds(self, name, fingerprint):
        return self.known.get(name) == fingerprint

    def add(self, name, fingerprint):
        self.known[name] = fingerprint
        partial = self.path.with_suffix(".new")
        partial.write_text(json.dumps(self.known, indent=0, sort_keys=True))
        partial.replace(self.path)


def run_all(tasks, successes, cwd):
    """tasks: {name: (fingerprint, arguments, stdin)}. Runs those that have not passed before; prints what failed."""
    todo = [name for name, (mark, _, _) in tasks.items() if not successes.holds(name, mark)]

    def run(name):
        _, arguments, text = tasks[name]
        return name, subprocess.run(arguments, cwd=cwd, input=text, text=True, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, check=False)

    failed = []
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for name, result in pool.map(run, todo):
            if result.returncode == 0:
                successes.add(name, tasks[name][0])
            else:
                failed.append(name)
                print(f"-- {name}\n{result.stdout}", flush=True)
    print(f"{len(tasks) - len(failed)} of {len(tasks)} good ({len(tasks) - len(todo)} unchanged since they were)")
    return 1 if failed else 0
