"""C and assembler of this machine: compiled with a harness that runs every input, in a process of its own."""

from __future__ import annotations

import platform
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from cipherassay.circuits.emitted import EmittedText, Run, refused
from cipherassay.circuits.emitted.commands import run_tool, skipped, table_lines
from cipherassay.errors import ToolError
from cipherassay.tools.compiler import find_compiler

_FLAGS = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Werror")
_FUNCTION = re.compile(r"^void (\w+)\(const (\w+) x\[(\d+)\], \w+ y\[(\d+)\]\)$", re.MULTILINE)
_COMMENT = re.compile(r"^# void (\w+)\(const (\w+) x\[(\d+)\], \w+ y\[(\d+)\]\)", re.MULTILINE)
_HARNESS = Path(__file__).with_name("harness.h")
_X86 = ("x86_64", "amd64", "i686", "i386")


def run_c(items: Sequence[EmittedText]) -> list[Run]:
    """Compile portable C with gcc and clang, and run it."""
    return _run_everywhere(items, "", ())


def run_avx2(items: Sequence[EmittedText]) -> list[Run]:
    """Compile and run C for AVX2 where the processor has it."""
    return _run_everywhere(items, "avx2", ("-mavx2",))


def run_avx512(items: Sequence[EmittedText]) -> list[Run]:
    """Compile and run C for AVX-512 where the processor has it."""
    return _run_everywhere(items, "avx512f", ("-mavx512f",))


def run_x86(items: Sequence[EmittedText]) -> list[Run]:
    """Assemble x86 text with the C compiler's assembler, link and run it."""
    machine = platform.machine()
    if machine.lower() not in ("x86_64", "amd64"):
        return [skipped("GNU as", f"this machine is {machine}, not x86-64")]
    return _run_everywhere(items, "", ())


def _run_everywhere(items: Sequence[EmittedText], feature: str, flags: Sequence[str]) -> list[Run]:
    machine = platform.machine()
    if feature and machine.lower() not in _X86:
        return [skipped("C compiler", f"this machine is {machine}, which has no {feature}")]
    runs = [_run_with(kind, items, feature, flags) for kind in ("gcc", "clang") if shutil.which(kind)]
    return runs or [skipped("C compiler", "neither gcc nor clang is on this machine (apt-get install gcc)")]


def _run_with(kind: str, items: Sequence[EmittedText], feature: str, flags: Sequence[str]) -> Run:
    language = items[0].language
    try:
        compiler = find_compiler("c", kind)
    except ToolError as error:
        return skipped(kind, error.message)
    name = compiler.describe(["-O1", *flags])
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "harness.h").write_text(_HARNESS.read_text())
        assembler = _write(folder, items)
        (folder / "all.c").write_text(_program(items, feature))
        run_tool([*compiler.command, *_FLAGS, *flags, "all.c", *assembler, "-o", "all"], folder, language)
        printed = run_tool([str(folder / "all")], folder, language)
    if printed.startswith("unsupported"):
        return skipped(name, f"this processor has no {feature}")
    return Run(name, table_lines(printed, len(items), name, language))


def _write(folder: Path, items: Sequence[EmittedText]) -> list[str]:
    """Write the texts; return the files of assembler, whose functions get names of their own."""
    files = []
    for n, item in enumerate(items):
        if item.language != "x86":
            (folder / f"{n}.c").write_text(item.text)
            continue
        name = _declared(item)[0]
        (folder / f"{n}.s").write_text(re.sub(rf"\b{name}\b", f"emitted_{n}", item.text))
        files.append(f"{n}.s")
    return files


def _declared(item: EmittedText) -> tuple[str, str, str, str]:
    """Return name, word, inputs and outputs of the function that a text defines."""
    found = (_COMMENT if item.language == "x86" else _FUNCTION).search(item.text)
    if not found:
        raise refused(item, item.language, "the harness", ["it has no function `void NAME(const …)`"])
    return found[1], found[2], found[3], found[4]


def test_program(item: EmittedText, file: str) -> str:
    """Return a C program that includes a file of emitted C, runs every input, and prints the values."""
    name, word, inputs, outputs = _declared(item)
    calls = [f"RUN_ALL(run, {name}, {word}, {inputs}, {outputs})", "int main(void) { run(); return 0; }"]
    return "\n".join([_HARNESS.read_text(), f'#include "{file}"', "", *calls, ""])


def _program(items: Sequence[EmittedText], feature: str) -> str:
    lines = ['#include "harness.h"']
    calls = []
    for n, item in enumerate(items):
        name, word, inputs, outputs = _declared(item)
        if item.language == "x86":
            lines.append(f"void emitted_{n}(const {word} x[{inputs}], {word} y[{outputs}]);")
        else:
            # Two texts may have the same function's name.
            lines += [f"#define {name} emitted_{n}", f'#include "{n}.c"', f"#undef {name}"]
        lines.append(f"RUN_ALL(run_{n}, emitted_{n}, {word}, {inputs}, {outputs})")
        calls.append(f"    run_{n}();")
    test = f'    if (!__builtin_cpu_supports("{feature}")) {{ puts("unsupported"); return 0; }}'
    main = ["int main(void)", "{", *([test] if feature else []), *calls, "    return 0;", "}"]
    return "\n".join([*lines, *main]) + "\n"
