"""This machine as oracle for x86-32 code: GNU as assembles it, GCC links it with C that calls it, it runs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from cipherassay.errors import ToolError, VerificationError
from cipherassay.tools import running
from cipherassay.x86.kernel import Argument, Kernel, record
from cipherassay.x86.text import source

_C = """\
#include <stdio.h>
extern void {function}(void);
{objects}
int main(void) {{
  while ({reads}) {{
    {function}();
    {writes}
  }}
  return 0;
}}
"""


@cache
def available() -> str:
    """Return what is missing to check x86-32 code here, or nothing."""
    if os.uname().machine not in ("x86_64", "i686", "i386"):
        return "an x86 processor"
    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder) / "probe.c"
        probe.write_text('#include <stdio.h>\nint main(void) { return puts("") < 0; }\n', encoding="utf-8")
        try:
            made = running.run(["gcc", "-m32", "-o", probe.with_suffix(""), probe], seconds=running.BUILD)
        except running.NotStarted:
            return "GCC (Debian: gcc)"
        return "" if made.code == 0 else "GCC for 32-bit code (Debian: gcc-multilib)"


def native(kernel: Kernel, inputs: Sequence[Sequence[Argument]]) -> list[list[list[int]]]:
    """Assemble a kernel and run it for several inputs; return the program's results of each.

    Raises
    ------
    ToolError
        X301: this machine cannot build or run such code. X302: the assembler or linker refuses it.
    """
    missing = available()
    if missing:
        raise ToolError(
            "X301",
            f"x86-32 code cannot be checked here: {missing} is missing",
            help="cycles are simulated without it",
        )
    with tempfile.TemporaryDirectory() as folder:
        program = _built(kernel, Path(folder))
        data = b"".join(
            content for values in inputs for _, content in record(kernel.parameters, list(values))
        )
        what = f"running {kernel.cipher.name} {kernel.operation} for x86-32"
        done = running.run([program], seconds=running.EXECUTE, input=data, what=what)
    size = sum(piece.size for piece in kernel.results)
    if done.code != 0 or len(done.data) != size * len(inputs):
        raise VerificationError(
            "X303",
            f"{kernel.cipher.name} {kernel.operation} for x86-32 ends with status {done.code} here",
            notes=[f"bytes of results: {len(done.data)}; expected: {size * len(inputs)}"],
            help="this is a bug of the kernel or of the oracle: please report it",
        )
    return [_words(kernel, done.data[k : k + size]) for k in range(0, len(done.data), size)]


def _built(kernel: Kernel, folder: Path) -> Path:
    pieces = {p.object: 0 for p in (*kernel.parameters, *kernel.results)}
    reads = " && ".join(
        f"fread({p.object} + {p.offset}, {p.size}, 1, stdin) == 1" for p in kernel.parameters if p.size
    )
    writes = " ".join(f"fwrite({p.object} + {p.offset}, {p.size}, 1, stdout);" for p in kernel.results)
    objects = "\n".join(f"extern unsigned char {name}[];" for name in pieces)
    name = f"{kernel.prefix}_{kernel.operation}"
    (folder / "kernel.s").write_text(source([kernel]), encoding="utf-8")
    (folder / "main.c").write_text(
        _C.format(function=name, objects=objects, reads=reads, writes=writes), encoding="utf-8"
    )
    command = ["gcc", "-m32", "-no-pie", "-o", "oracle", "kernel.s", "main.c"]
    made = running.run(command, seconds=running.BUILD, cwd=folder)
    if made.code != 0:
        raise ToolError(
            "X302",
            "the assembler refuses x86-32 code",
            notes=made.err.splitlines()[:5],
            help="this is a bug: please report it",
        )
    return folder / "oracle"


def _words(kernel: Kernel, data: bytes) -> list[list[int]]:
    found, at = [], 0
    for piece in kernel.results:
        content = data[at : at + piece.size]
        found.append(
            [int.from_bytes(content[k : k + piece.word], "little") for k in range(0, piece.size, piece.word)]
        )
        at += piece.size
    return found
