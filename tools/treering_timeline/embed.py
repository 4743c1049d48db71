#!/usr/bin/env python3
"""Puts the report's page together and writes it as C++.

The first input is the page with the marks @STYLE@, @PROGRAM@, @FACTS@ and @SPANS@, the second the style, the others the
parts of the program, which share one scope.

usage: embed.py PAGE STYLE SCRIPT... OUTPUT
"""

import sys
from pathlib import Path

PIECE = 8000  # compilers need not take longer strings


def literal(text):
    assert ")~~" not in text
    pieces = [text[at:at + PIECE] for at in range(0, len(text), PIECE)] or [""]
    return "\n".join(f'R"~~({piece})~~"' for piece in pieces)


def main(page, style, *scripts, output):
    text = Path(page).read_text(encoding="utf-8")
    program = "\n".join(Path(script).read_text(encoding="utf-8") for script in scripts)
    text = text.replace("@STYLE@", Path(style).read_text(encoding="utf-8"))
    text = text.replace("@PROGRAM@", f'(() => {{\n"use strict";\n{program}\n}})();')
    before, rest = text.split("@FACTS@")
    between, after = rest.split("@SPANS@")
    functions = "\n".join(f"std::string_view {name}() {{\n  return {literal(part)};\n}}\n" for name, part in
                          (("page_before", before), ("page_between", between), ("page_after", after)))
    Path(output).write_text('#include "tools/treering_timeline/page.h"\n\nnamespace treering::tools {\n\n' + functions +
                            "\n}  // namespace treering::tools\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:-1], output=sys.argv[-1])
