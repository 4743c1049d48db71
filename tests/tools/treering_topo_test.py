#!/usr/bin/env python3
"""treering-topo from the outside: output, JSON, exit status, and what it does when nvidia-smi is ill.

usage: treering_topo_test.py PROGRAM FIXTURES FAKE_DRIVERS...
"""

import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

PROGRAM, FIXTURES, DRIVERS = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]


def run(*arguments, text="", path=None, libraries=None):
    environment = dict(os.environ)
    if path:
        environment["PATH"] = f"{path}:{environment['PATH']}"
    if libraries:
        environment["LD_LIBRARY_PATH"] = f"{libraries}:{environment.get('LD_LIBRARY_PATH', '')}"
    return subprocess.run([PROGRAM, *arguments], input=text, capture_output=True, text=True, env=environment, timeout=60)


def check(condition, what, done=None):
    if not condition:
        sys.exit(f"failed: {what}" + (f"\n{done.returncode}\n{done.stdout[:2000]}\n{done.stderr}" if done else ""))


def plans(*arguments):
    done = run("--json", *arguments)
    check(done.returncode == 0, f"{arguments} ends well", done)
    return json.loads(done.stdout)


def check_forest(plan, members):
    check(sum(Fraction(tree["share"]) for tree in plan["trees"]) == 1, f"{plan['builder']}: shares sum to one")
    for tree in plan["trees"]:
        reached = {tree["root"]}
        edges = [tuple(edge) for edge in tree["edges"]]
        check(len(edges) == members - 1, f"{plan['builder']}: a tree has {members - 1} edges")
        for _ in edges:
            reached |= {child for parent, child in edges if parent in reached}
        check(reached == set(range(members)), f"{plan['builder']}: a tree reaches all members")


def test_json():
    for name in ("dgx1v.matrix.txt", "dgx1v.smi.txt", "dgx1v.nccl.xml", "dgx1v.topo"):
        result = plans("--file", str(FIXTURES / name))
        by_name = {plan["builder"]: plan for plan in result["builders"]}
        check(list(by_name)[:2] == ["packed", "binomial"] and len(by_name) == 6, f"{name}: all builders")
        packed = by_name["packed"]
        check(packed["rate"] == packed["bound"] == "24/7" and packed["height"] == 2, f"{name}: packed reaches 24/7 at height 2")
        check(packed["gap"] == "0" and packed["limiting_cut"]["parts"], f"{name}: gap and cut")
        check(Fraction(by_name["binomial"]["worst_load"]) <= Fraction(5, 2), f"{name}: binomial loads a link with 2.5 at most")
        for plan in by_name.values():
            check_forest(plan, 8)
        known = name != "dgx1v.matrix.txt"
        speed = packed["rate_bytes_per_second"]
        check(abs(speed - 24 / 7 * 25e9) < 1 if known else speed is None, f"{name}: {speed} bytes per second")
        check(result["unit"] == "links", f"{name}: unit")


def test_choice_of_devices_and_builders():
    result = plans("--file", str(FIXTURES / "dgx1v.smi.txt"), "--devices", "0,2,3", "--builder", "packed", "--explain", "1M")
    check([device["name"] for device in result["devices"]] == ["GPU0", "GPU2", "GPU3"], "devices in the order asked for")
    check([plan["rate"] for plan in result["builders"]] == ["5/2"], "one builder, 5/2 links")
    check(result["choice"]["builder"] == "packed" and result["choice"]["bytes"] == 1 << 20, "choice")
    single = plans("--file", str(FIXTURES / "dgx1v.smi.txt"), "--devices", "5")
    check(single["builders"] == [] and len(single["devices"]) == 1, "one device needs no plan")


def test_text_and_drawings():
    done = run("--file", str(FIXTURES / "dgx1v.smi.txt"), "--explain", "64M")
    for part in ("85.71 GB/s", "NVB", "assumed: 25 GB/s per NVLink", "For 64MB: ", "root GPU0"):
        check(part in done.stdout, f"text has '{part}'", done)
    machine = run("--file", str(FIXTURES / "minsky.hwloc.xml"), "--dot")
    check(machine.stdout.startswith("digraph") and '"GPU0" -> "GPU1"' in machine.stdout, "machine for Graphviz", machine)
    trees = run("--file", str(FIXTURES / "dgx1v.topo"), "--builder", "binomial", "--format", "dot-trees")
    check(trees.stdout.count("subgraph") == 8, "eight trees for Graphviz", trees)
    drawn = run("--file", str(FIXTURES / "dgx1v.topo"), "--builder", "binomial,chain", "--format", "svg")
    picture = ElementTree.fromstring(drawn.stdout)
    shapes = [shape.tag.rpartition("}")[2] for shape in picture]
    check(shapes.count("rect") == 1 + 9 * 8 and shapes.count("path") == 9 * 7, "nine trees of eight are drawn", drawn)
    width, height = float(picture.get("width")), float(picture.get("height"))
    for shape in picture.iter("{http://www.w3.org/2000/svg}text"):
        check(0 < float(shape.get("x")) < width and 0 < float(shape.get("y")) < height, "names lie inside", drawn)
    plain = run("--file", str(FIXTURES / "dgx1v.nccl.xml"), "--format", "plain")
    again = run("--file", "-", "--format", "plain", text=plain.stdout)
    check(again.stdout == plain.stdout, "plain text is read back the same", again)


def test_simulation():
    arguments = ("--file", str(FIXTURES / "dgx1v.smi.txt"), "--simulate", "256M")
    done = run(*arguments)
    check(done.returncode == 0 and "Simulation of 256MB" in done.stdout, "a simulation", done)
    check(run(*arguments).stdout == done.stdout, "two simulations give the same times")
    rows = done.stdout.split("Simulation of", 1)[1].split("\n\n")[0].splitlines()[2:]
    cells = [re.split("  +", row.strip()) for row in rows]
    ratios = {row[0]: float(row[3]) for row in cells}
    check(set(ratios) == {"packed", "binomial", "forest", "star", "chain", "ring"}, f"every builder is simulated: {ratios}")
    for name in ("packed", "binomial", "forest", "chain"):
        check(0.9 < ratios[name] < 1.1, f"{name} is simulated within 10 % of the prediction: {ratios}")


def test_simulation_in_json():
    result = plans("--file", str(FIXTURES / "dgx1v.smi.txt"), "--builder", "packed,star", "--simulate", "16M", "--sizes", "16M")
    for plan in result["builders"]:
        simulation = plan["simulation"]
        check(simulation["bytes"] == 16 << 20 and simulation["problems"] == [], f"{plan['builder']} is simulated")
        check(0.5 < simulation["seconds"] / plan["predictions"][0]["seconds"] < 2, f"{plan['builder']}: {simulation['seconds']} s")
        check(all(0 < link["busy_part"] <= 1 and link["bytes"] > 0 for link in simulation["links"]), "links are busy in part")
    check(plans("--file", str(FIXTURES / "dgx1v.smi.txt"), "--builder", "star")["builders"][0]["simulation"] is None,
          "no simulation unless asked for")


def test_mistakes():
    for status, arguments, text, part in (
            (1, ["--file", "/nowhere/x"], "", "No such file"),
            (1, ["--file", "/"], "", "cannot read"),
            (1, ["--file", "-"], "", "empty"),
            (1, ["--file", "-"], "hello", "unknown format"),
            (1, ["--file", "-"], "<graphs version='1'/>", "NCCL_TOPO_DUMP_FILE"),
            (2, ["--file", "-", "--devices", "3"], "0 1\n1 0\n", "has 2 devices"),
            (2, ["--file", "-", "--devices", "1,1"], "0 1\n1 0\n", "twice"),
            (2, ["--builder", "magic"], "", "no builder 'magic'"),
            (2, ["--sizes", "big"], "", "big"),
            (2, ["--link-speed", "fast"], "", "25GB/s"),
            (2, ["--nonsense"], "", "nonsense")):
        done = run(*arguments, text=text)
        check(done.returncode == status and part in done.stderr, f"{arguments}: status {status} and '{part}'", done)
        check(done.stdout == "", f"{arguments}: nothing on standard output", done)
    helped = run("--help")
    check(helped.returncode == 0 and "nvidia-smi topo -m" in helped.stdout, "help", helped)


def with_command(script, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        command = Path(folder) / "nvidia-smi"
        command.write_text("#!/bin/sh\n" + script)
        command.chmod(command.stat().st_mode | stat.S_IXUSR)
        return run("--json", *arguments, path=folder)


def test_this_machine():
    table = (FIXTURES / "dgx1v.smi.txt")
    found = json.loads(with_command(f"cat {table}\n").stdout)
    check(len(found["devices"]) == 8, "nvidia-smi is asked first")
    check(found["devices"][0]["found_by"] == "command: nvidia-smi topo -m", "and named as the source")
    for script, part in (("echo NVIDIA-SMI has failed; exit 9\n", "status 9; it says \"NVIDIA-SMI has failed\""),
                         ("echo nonsense\n", "unknown format"), ("kill -9 $$\n", "signal 9"), ("yes\n", "wrote too much")):
        done = with_command(script)
        check(done.returncode == 0 and part in done.stderr, f"'{script.strip()}' is told and hwloc asked", done)
        check(json.loads(done.stdout)["format"] == "hwloc XML", "hwloc is the next source", done)


def with_driver(what, *arguments):
    library, = (driver for driver in DRIVERS if f"fake_nvml_{what}." in driver)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "libnvidia-ml.so.1").symlink_to(Path(library).resolve())
        return run(*arguments, libraries=folder)


def test_management_library():
    found = json.loads(with_driver("ring", "--json", "--builder", "packed").stdout)
    check([device["name"] for device in found["devices"]] == [f"GPU{i}" for i in range(4)], "four GPUs by NVML")
    check(found["devices"][1]["bus"] == "00000000:11:00.0" and found["devices"][1]["detail"] == "Fake 1", "addresses and names")
    check(found["devices"][0]["found_by"] == "command: NVML", "NVML is the source")
    plan, = found["builders"]
    check(found["paths"][0] == ["X", "NV2", "NVB", "NV2"], f"links of the ring: {found['paths'][0]}")
    check(plan["rate"] == "8/3", f"a ring of double links packs 8/3 links: {plan['rate']}")
    switched = json.loads(with_driver("switched", "--json", "--builder", "star").stdout)
    check(switched["vertices"] == ["GPU0", "GPU1", "GPU2", "GPU3", "NVSwitch"], "a switch")
    check(switched["capacity"][0][4] == 5, "with the active links")
    ill = with_driver("ill", "--machine-only")
    check(ill.returncode == 0 and ill.stderr.count("version mismatch") == 1, "an ill driver costs one line", ill)


def test_hanging_command():
    begun = time.monotonic()
    done = with_command("sleep 100 & sleep 100\n")
    check(done.returncode == 0 and "did not end in time" in done.stderr, "a hanging command is killed", done)
    done = with_command("exec >&- 2>&-; sleep 100\n")
    check(done.returncode == 0 and "did not end in time" in done.stderr, "also one that has closed its output", done)
    check(time.monotonic() - begun < 50, "in time")


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print(f"{name} passed")
