"""ucsim's s51 as the oracle for MCS-51 code: assembled by sdas8051, linked by sdld, cycles at breakpoints.

The simulator runs anew for each call, with the memory that the calls before left.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

from cipherassay.embedded.measuring import smaller
from cipherassay.embedded.processor import Call
from cipherassay.embedded.processors.mcs51.room import INTERNAL, STACK
from cipherassay.embedded.processors.mcs51.text import DIRECT, SPACES, spaces
from cipherassay.errors import ToolError, VerificationError
from cipherassay.tools import require, running

DEVICE = "C52"
"""As s51 names it: an 8052, 256 bytes of internal RAM, 64 KiB of program memory, 64 KiB of external RAM."""
CLOCKS, ROM = 12, 1 << 16
"""Clocks of a machine cycle, bytes of program memory."""
DATA, CODE = 0x08, 0x100
"""Where internal RAM begins behind the first register bank, and code; external RAM begins at zero."""


class Machine:
    """A simulated 8052 with a program; used as a context."""

    def __init__(self, assembly: str, folder: Path, *, straight: bool = False) -> None:
        require("sdas8051")
        require("s51")
        self.folder, source = folder, folder / "cipher.asm"
        source.write_text(assembly, encoding="utf-8")
        _run(["sdas8051", "-plosgff", str(source)], folder, "the assembly text")
        self.space = spaces(assembly)
        self.symbols = self._linked()
        internal = self.symbols["data_end"]
        used = self.symbols.get("idata_end", internal)
        code = CODE + self.symbols["l_CSEG"]
        if internal > DIRECT or used > INTERNAL - STACK or code > ROM:
            raise VerificationError(
                "E124",
                "the code does not fit an 8052",
                notes=[
                    f"program memory: {code} of {ROM} bytes",
                    f"internal RAM: {used} of {INTERNAL - STACK} bytes, "
                    f"{internal} of {DIRECT} by direct addresses",
                ],
                help=smaller(code_fits=code <= ROM, straight=straight),
            )
        self.stack = used
        self.external = self.symbols.get("xdata_end", 0)
        numbers = random.Random(0)
        self.memory = {
            "data": bytearray(numbers.randbytes(INTERNAL)),
            "xdata": bytearray(numbers.randbytes(self.external)),
        }  # fmt: skip

    def _linked(self) -> dict[str, int]:
        """Link; return the symbols."""
        starts = {"CSEG": CODE, "DSEG": DATA, "XSEG": 0}
        options = [
            o
            for area, at in starts.items()
            if SPACES[area] in self.space.values()
            for o in ("-b", f"{area}={at:#x}")
        ]
        _run(["sdld", "-n", "-i", "-j", *options, "cipher.ihx", "cipher.rel"], self.folder, "the program")
        text = (self.folder / "cipher.noi").read_text(encoding="utf-8")
        return {name: int(at, 16) for name, at in re.findall(r"^DEF (\S+) 0x([0-9A-Fa-f]+)$", text, re.M)}

    def __enter__(self) -> Machine:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def _object(self, symbol: str) -> tuple[bytearray, int]:
        space = "xdata" if self.space[symbol] == "xdata" else "data"
        return self.memory[space], self.symbols[symbol]

    def write(self, symbol: str, data: bytes) -> None:
        """Write bytes into RAM."""
        memory, at = self._object(symbol)
        memory[at : at + len(data)] = data

    def read(self, symbol: str, count: int) -> bytes:
        """Return bytes of RAM."""
        memory, at = self._object(symbol)
        return bytes(memory[at : at + count])

    def size(self, symbol: str) -> int:
        """Return the bytes of a function."""
        return self.symbols[f"{symbol}_over"] - self.symbols[symbol]

    def paint(self, byte: int) -> None:
        """Fill the RAM."""
        for memory in self.memory.values():
            memory[:] = bytes([byte]) * len(memory)

    def touched(self, byte: int) -> int:
        """Return how many bytes of RAM do not hold a value."""
        return sum(len(memory) - memory.count(byte) for memory in self.memory.values())

    def call(self, function: str) -> Call:
        """Call a function."""
        start, stops = self.symbols[function], {0}
        stops |= {self.symbols.get(f"{function}_{mark}", 0) for mark in ("begin", "end")} - {start}
        answer = self._simulated(self._script(start, stops), function)
        stopped = re.findall(r"^CPU state= .*?PC= 0x(\w+)|\((\d+) clks\)\s*$", answer, re.M)
        places = [int(at, 16) for at, _ in stopped if at]
        clocks = [int(n) for n in re.findall(r"^Total time since last reset= .*\((\d+) clks\)", answer, re.M)]
        if len(places) != len(stops) or places[-1] != 0:
            raise ToolError(
                "E123", f"`{function}` does not return in s51", help="this is a bug: please report it"
            )
        at = {start: 0} | dict(zip(places, (n // CLOCKS for n in clocks), strict=True))
        deepest = max(int(n, 16) for n in re.findall(r"Max value of stack pointer= 0x(\w+)", answer))
        for space, digits in (("data", 2), ("xdata", 4)):
            self._dumped(answer, digits, self.memory[space])
        inside = [at[self.symbols[f"{function}_{mark}"]] for mark in ("begin", "end")]
        return Call(at[0], inside[1] - inside[0], deepest - (self.stack - 1))

    def _script(self, start: int, stops: set[int]) -> list[str]:
        """Return the simulator's commands for a call; the return address is zero, the last stop."""
        iram = bytearray(self.memory["data"])
        iram[self.stack : self.stack + 2] = bytes(2)
        lines = []
        for name, memory in (("iram", iram), ("xram", self.memory["xdata"])):
            rows = {n: " ".join(map(str, memory[n : n + 64])) for n in range(0, len(memory), 64)}
            lines += [f"set memory {name} {n} {row}" for n, row in rows.items()]
        lines += [f"set memory sfr 0x81 {self.stack + 1}", *(f"break {stop:#x}" for stop in sorted(stops))]
        lines += [f"pc {start:#x}", *["run", "state"] * len(stops)]
        return [*lines, f"dump iram 0 {INTERNAL - 1}", f"dump xram 0 {max(self.external, 1) - 1}", "kill"]

    def _simulated(self, script: list[str], function: str) -> str:
        command = ["s51", "-b", "-P", "-t", DEVICE, "cipher.ihx"]
        try:
            done = running.run(
                command, seconds=running.EXECUTE, cwd=self.folder, input="\n".join(script) + "\n"
            )
        except running.OutOfTime as error:
            raise ToolError(
                "E123", f"`{function}` does not return in s51", notes=[error.message], help=error.help
            ) from None
        return done.out.replace("\0", "")

    @staticmethod
    def _dumped(answer: str, digits: int, memory: bytearray) -> None:
        """Take over what was dumped of a memory whose addresses have so many digits."""
        for at, row in re.findall(rf"^0x(\w{{{digits}}})\s+((?:[0-9a-f]{{2}} )+)", answer, re.M):
            data = bytes.fromhex(row)
            if int(at, 16) + len(data) <= len(memory):
                memory[int(at, 16) : int(at, 16) + len(data)] = data


def _run(command: list[str], folder: Path, what: str) -> None:
    done = running.run(command, seconds=running.BUILD, cwd=folder)
    if done.code or "?ASlink" in done.err + done.out:
        notes = (done.err + done.out).splitlines()[:8]
        raise ToolError("E121", f"`{command[0]}` refuses {what}", notes=notes)
