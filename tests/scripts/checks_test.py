#!/usr/bin/env python3
"""The checks catch what they are for: one small tree for each kind of violation, and one that is clean."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import count_results
import layers
import sizes
import words


def problems(check, files):
    """What `check` says about a tree of these files."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check.violations(folder)


class LayersTest(unittest.TestCase):
    CLEAN = {
        "include/treering/status.h": "#include <string>\n",
        "include/treering/engine.h": '#include <memory>\n#include "treering/status.h"\n',
        "base/clock.h": '#include "treering/status.h"\n',
        "base/environment.cpp": 'const char* x = std::getenv("A");\n',
        "fusion/batch.h": '#include "base/clock.h"\n',
        "ops/executor.cpp": '#include "fusion/batch.h"\n#include "transport/wire.h"\n',
        "transport/wire.h": '#include "base/clock.h"\n',
        "transport/mpi/wire.cpp": "#include <mpi.h>\n",
        "device/cuda/kernels.cu": "#include <cuda_runtime.h>\n#ifdef __CUDACC__\n#endif\n",
        "engine/engine.cpp": '#include "fusion/batch.h"\n#include "treering/engine.h"\n// getenv("x") #ifdef HAVE_CUDA\n',
        "examples/train.cpp": "#include <Eigen/Core>\n#include <treering/engine.h>\n",
        "tests/mpi/main.cpp": "#include <mpi.h>\n#include \"engine/engine.h\"\n",
        "tests/mpi/other.cpp": '#include "neighbour.h"\n#include "examples/train.cpp"\n',
        "tests/mpi/neighbour.h": "#pragma once\n",
        "engine/engine.h": "#pragma once\n#ifdef __AVX2__\n#endif\n",
    }

    def check_one(self, name, text, *expected):
        found = problems(layers, {**self.CLEAN, name: text})
        self.assertTrue(found, f"nothing found in {name}: {text}")
        for word in expected:
            self.assertIn(word, "\n".join(found))

    def test_clean_tree_is_clean(self):
        self.assertEqual(problems(layers, self.CLEAN), [])

    def test_upward_and_sideways_includes(self):
        self.check_one("base/log.h", '#include "transport/wire.h"\n', "base/log.h:1", "base must not include")
        self.check_one("include/treering/status.h", '#include "base/clock.h"\n', "treering must not include")
        self.check_one("topology/plan.h", '#include "device/k.h"\n', "is not a file of the tree")
        self.check_one("controller/c.cpp", '\n#include "fusion/batch.h"\n', "controller/c.cpp:2")
        self.check_one("fusion/plan.cpp", '#include "transport/wire.h"\n', "fusion must not include")
        self.check_one("transport/wire.h", '#  include "ops/executor.cpp"\n', "transport must not include")
        self.check_one("examples/train.cpp", '#include "engine/engine.h"\n', "examples must not include")
        self.check_one("engine/engine.cpp", '#include "tests/mpi/main.cpp"\n', "engine must not include")

    def test_ops_takes_one_file_of_fusion_only(self):
        tree = {**self.CLEAN, "fusion/plan.h": "\n", "ops/executor.cpp": '#include "fusion/plan.h"\n'}
        self.assertIn("ops must not include fusion/plan.h", "\n".join(problems(layers, tree)))

    def test_cycles(self):
        pair = {"base/a.h": '#include "base/b.h"\n', "base/b.h": '#include "base/a.h"\n'}
        self.assertIn("base/a.h -> base/b.h -> base/a.h", "\n".join(problems(layers, pair)))
        three = {"base/a.h": '#include "base/b.h"\n', "base/b.h": '#include "base/c.h"\n',
                 "base/c.h": '#include "base/a.h"\n'}
        self.assertIn("include cycle", "\n".join(problems(layers, three)))
        self.check_one("base/self.h", '#include "base/self.h"\n', "include cycle")

    def test_foreign_headers(self):
        self.check_one("engine/engine.cpp", "#include <mpi.h>\n", "<mpi.h> belongs to transport/mpi/")
        self.check_one("transport/shm/x.cpp", "#include <mpi.h>\n", "<mpi.h>")
        self.check_one("ops/executor.cpp", "#include <nccl.h>\n", "<nccl.h>")
        self.check_one("device/host/x.cpp", "#include <cuda_runtime.h>\n", "<cuda_runtime.h>")
        self.check_one("include/treering/types.h", "#include <fmt/core.h>\n", "standard library only")
        self.check_one("include/treering/types.h", "#include <unistd.h>\n", "standard library only")

    def test_relative_path(self):
        self.check_one("transport/mpi/x.cpp", '#include "../wire.h"\n', "write paths from the root")

    def test_neighbours_hide_no_cycles(self):
        self.check_one("tests/mpi/neighbour.h", '#include "other.cpp"\n', "include cycle")

    def test_environment(self):
        self.check_one("engine/engine.cpp", 'auto x = getenv("A");\n', "engine/engine.cpp:1: only base")
        self.check_one("tests/mpi/main.cpp", '\nauto x = ::secure_getenv ("A");\n', "tests/mpi/main.cpp:2: only base")

    def test_features(self):
        for condition in ("#ifdef TREERING_HAVE_CUDA", "#if defined(__CUDACC__)", "#  ifndef HAVE_NCCL",
                          "#if __has_include(<nccl.h>)", "#if 1 && \\\n  WITH_CUDA"):
            self.check_one("device/host/x.cpp", condition + "\n#endif\n", "device/host/x.cpp:1: features")

    def test_no_room(self):
        self.check_one("util/x.h", "\n", "lies in no room")
        self.check_one("x.cpp", "\n", "lies in no room")


class SizesTest(unittest.TestCase):
    LONG = "\n".join(f"  work({line});" for line in range(60))

    def found(self, text):
        return problems(sizes, {"base/x.cpp": text})

    def test_long_functions_of_every_kind(self):
        for head in ("void run() {", "int Engine::run(int x) const noexcept {", "auto run() -> int {",
                     "template <class T, std::enable_if_t<(sizeof(T) > 2), int> = 0>\nvoid run(T x) {",
                     "Engine::Engine(int x) : a_(x), b_{x}, c_(x) {", 'TEST_CASE("run: all") {', "struct Foo run() {",
                     "bool Foo::operator==(const Foo& x) const {", "namespace a { class B : public C { void run() {",
                     "class B { enum { x }; int y = 3; std::string z{\"}\"}; void run() {",
                     "namespace {\nconstexpr int n[] = {1, 2};\n}\nvoid run() {"):
            text = f"{head}\n{self.LONG}\n}}" + "}" * 3
            self.assertEqual(len([line for line in self.found(text) if "lines; the limit is 50" in line]), 1, head)

    def test_short_functions_in_long_containers(self):
        body = "\n".join(f"  void f{i}() {{ x(); }}" for i in range(120))
        for head in ("class A {", "namespace a::b {", "struct A final : B<int> {", 'extern "C" {', "enum class E {",
                     "template <class T>\n  requires std::is_class_v<T>\nstruct A<T> {"):
            self.assertEqual(self.found(f"{head}\n{body}\n}};\n"), [], head)
        self.assertEqual(self.found("int x[] = {\n" + "1,\n" * 100 + "};\n"), [])
        self.assertEqual(self.found("void f() {\n/*" + "\n" * 10 + "*/}\n" * 1 + "// {\n" * 90), [])

    def test_long_file_and_exceptions(self):
        lines = "int x;\n" * 401
        self.assertIn("401 lines", self.found(lines)[0])
        reason = "base/x.cpp: generated\n"
        self.assertEqual(problems(sizes, {"base/x.cpp": lines, sizes.EXCEPTIONS: reason}), [])
        self.assertIn("401", problems(sizes, {"base/x.cpp": lines, sizes.EXCEPTIONS: "base/x.cpp: \n"})[0])
        self.assertIn("no exception any more", problems(sizes, {"base/x.cpp": "int x;\n", sizes.EXCEPTIONS: reason})[0])

    def test_exception_for_one_function(self):
        text = f"void run() {{\n{self.LONG}\n}}\nvoid walk() {{\n{self.LONG}\n}}\n"
        found = problems(sizes, {"base/x.cpp": text, sizes.EXCEPTIONS: "base/x.cpp run: a table\n"})
        self.assertEqual(len(found), 1)
        self.assertIn("walk has 62 lines", found[0])


class WordsTest(unittest.TestCase):
    def test_each_word(self):
        for text in ("// TO" + "DO: x", "/wo" + "rk/main", "see ../sha" + "red/x", "https://deb.deb" + "ian.org/x",
                     "# FIX" + "ME", "pip from py" + "pi.org"):
            self.assertEqual(len(problems(words, {"docs/x.md": "fine\n" + text + "\n"})), 1, text)
        self.assertEqual(problems(words, {"docs/x.md": "homework/x, network/work, build/wo" + "rk/\n"}), [])


class CountTest(unittest.TestCase):
    def count(self, *stages):
        """(last line, status) for stages of (status, log lines or None)."""
        with tempfile.TemporaryDirectory() as folder:
            arguments = []
            for index, (status, lines) in enumerate(stages):
                log = Path(folder) / f"{index}.json"
                if lines is not None:
                    log.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
                arguments.append(f"stage|{status}|{log}")
            script = Path(__file__).with_name("count_results.py")
            run = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, check=False)
            return run.stdout.splitlines()[-1], run.returncode

    def test_counts(self):
        good, bad, skip = ({"name": "t", "result": result} for result in ("OK", "TIMEOUT", "SKIP"))
        self.assertEqual(self.count((0, [good, good, skip]), (0, [good])), ("3 passed, 0 failed", 0))
        self.assertEqual(self.count((1, [good, bad]), (0, [good])), ("2 passed, 1 failed", 1))
        self.assertEqual(self.count((2, [good])), ("1 passed, 1 failed", 1))  # died without naming a test
        self.assertEqual(self.count((0, [good]), (1, None)), ("1 passed, 1 failed", 1))  # build failed
        self.assertEqual(self.count((0, [])), ("0 passed, 1 failed", 1))
        self.assertEqual(self.count((0, [skip])), ("0 passed, 1 failed", 1))
        self.assertEqual(self.count(), ("0 passed, 1 failed", 1))
        self.assertEqual(self.count((0, [good, '{"name": "torn'])), ("1 passed, 1 failed", 1))

    def test_every_other_result_is_a_failure(self):
        for result in ("FAIL", "ERROR", "INTERRUPT", "UNEXPECTEDPASS", "something new"):
            self.assertEqual(len(count_results.judge(0, [("t", result)])[1]), 1, result)


if __name__ == "__main__":
    unittest.main()
