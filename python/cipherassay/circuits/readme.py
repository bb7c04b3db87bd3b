"""The page beside emitted circuits: what each file is, how it is built, what a test of it prints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cipherassay.circuits import emitting
from cipherassay.circuits.boxes import Box
from cipherassay.circuits.emitted.native import test_program
from cipherassay.circuits.emitting import EmittedText

_HEAD = """\
# {box}, as a circuit

Made by `{command}`,
which runs every text on all {inputs} inputs in its own form where the tools are there.

| file | what it is |
|---|---|
{rows}
"""
_STEP = """
{title}:

```sh
{commands}
```
"""
_PRINTED = """
It prints the box's values at all inputs:

```text
= {values}
```
"""
_C = "cc -std=c11 -O2 -Wall -Wextra -pedantic"
_BUILD = {
    "c": f"{_C} -o {{stem}}_test {{stem}}_test.c\n./{{stem}}_test",
    "c-avx2": f"{_C} -mavx2 -c {{file}}",
    "c-avx512": f"{_C} -mavx512f -c {{file}}",
    "x86": "cc -c {file}",
    "ia64": "ia64-linux-gnu-as -x -o {stem}.o {file}",
    "pa-risc": "hppa-linux-gnu-as -o {stem}.o {file}",
    "verilog": "iverilog -g2001 -Wall -o {stem}.vvp {file}",
    "vhdl": "ghdl -a --std=93 {file}",
}
"""How a text is built; the texts of other languages are read by `assay` alone."""


def files(box: Box, written: Sequence[tuple[str, str, str]], command: str) -> list[tuple[str, str]]:
    """Return what stands beside texts: a test of portable C, a README.

    Parameters
    ----------
    written : sequence of (str, str, str)
        Of each text its language, its file's name, the text.
    command : str
        What writes the files again.
    """
    known = emitting.languages()
    tests, steps = [], []
    for language, file, text in written:
        stem = Path(file).stem
        if language in _BUILD:
            commands = _BUILD[language].format(stem=stem, file=file)
            steps.append(_STEP.format(title=known[language].title, commands=commands))
        if language == "c":
            tests.append((f"{stem}_test.c", test_program(EmittedText(text, language, box), file)))
            steps.append(_PRINTED.format(values=" ".join(map(str, box.data))))
    rows = [f"| `{file}` | {known[language].title} |" for language, file, _ in written]
    rows += [f"| `{file}` | a test: all inputs |" for file, _ in tests]
    head = _HEAD.format(box=box.name, command=command, inputs=len(box.data), rows="\n".join(rows))
    return [*tests, ("README.md", head + "".join(steps))]
