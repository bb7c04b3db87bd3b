"""The H8/300 simulator with a program that binutils assembled and linked."""

from __future__ import annotations

from pathlib import Path

from cipherassay.embedded.measuring import smaller
from cipherassay.embedded.processor import Call
from cipherassay.embedded.processors.h8_300.simulate import Simulator
from cipherassay.embedded.processors.h8_300.text import RAM, RAM_END, ROM, ROM_END, SHORT_RAM, script
from cipherassay.errors import ToolError, VerificationError
from cipherassay.tools import require, running

PREFIX = "h8300-hms-"


class Machine:
    """A simulated H8/300 with a program; used as a context."""

    def __init__(self, assembly: str, folder: Path, *, straight: bool = False) -> None:
        require("h8300-hms-as")
        source, linking = folder / "cipher.s", folder / "cipher.ld"
        made, linked, image = (folder / f"cipher.{end}" for end in ("o", "out", "bin"))
        source.write_text(assembly, encoding="utf-8")
        linking.write_text(script(assembly), encoding="utf-8")
        _run(["as", "-o", str(made), str(source)], "the assembly text")
        _run(
            ["ld", "--no-check-sections", "-T", str(linking), "-e", "0x100", "-o", str(linked), str(made)],
            "the program",
        )
        _run(
            ["objcopy", "-O", "binary", "-j", ".text", "-j", ".tables", str(linked), str(image)],
            "the program",
        )
        self.symbols = _symbols(linked)
        code, ram = ROM + image.stat().st_size, self.symbols.get("ram_end", RAM)
        short = self.symbols.get("short_end", SHORT_RAM)
        if code > ROM_END or ram > SHORT_RAM or short > RAM_END:
            raise VerificationError(
                "E124",
                "the code does not fit an H8/3337",
                notes=[
                    f"ROM: {code} of {ROM_END} bytes",
                    f"RAM: {ram - RAM} of {SHORT_RAM - RAM} bytes, {short - SHORT_RAM} of "
                    f"{RAM_END - SHORT_RAM} bytes with short addresses, no stack",
                ],
                help="key, block and values have short addresses: smaller keys and blocks fit"
                if short > RAM_END
                else smaller(code_fits=code <= ROM_END, straight=straight),
            )
        self.simulator = Simulator(image.read_bytes(), ROM, SHORT_RAM)

    def __enter__(self) -> Machine:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def write(self, symbol: str, data: bytes) -> None:
        """Write bytes into RAM."""
        at = self.symbols[symbol]
        self.simulator.memory[at : at + len(data)] = data

    def read(self, symbol: str, count: int) -> bytes:
        """Return bytes of RAM."""
        at = self.symbols[symbol]
        return bytes(self.simulator.memory[at : at + count])

    def size(self, symbol: str) -> int:
        """Return the bytes of a function."""
        return self.symbols[f"{symbol}_over"] - self.symbols[symbol]

    def paint(self, byte: int) -> None:
        """Fill the RAM."""
        self.simulator.memory[RAM:RAM_END] = bytes([byte]) * (RAM_END - RAM)

    def touched(self, byte: int) -> int:
        """Return how many bytes of RAM do not hold a value."""
        ram = self.simulator.memory[RAM:RAM_END]
        return len(ram) - ram.count(byte)

    def call(self, function: str) -> Call:
        """Call a function."""
        at = {mark: self.symbols.get(f"{function}{mark}", 0) for mark in ("", "_begin", "_end")}
        try:
            states, reached = self.simulator.call(at[""])
        except TimeoutError:
            raise ToolError(
                "E123", f"`{function}` does not return", help="this is a bug: please report it"
            ) from None
        inside = reached.get(at["_end"], states) - reached.get(at["_begin"], 0)
        return Call(states, inside, self.simulator.stack - self.simulator.lowest)


def _run(command: list[str], what: str) -> None:
    tool = PREFIX + command[0]
    done = running.run([tool, *command[1:]], seconds=running.BUILD)
    if done.code:
        raise ToolError("E121", f"`{tool}` refuses {what}", notes=done.err.splitlines()[:8])


def _symbols(linked: Path) -> dict[str, int]:
    listed = running.output([f"{PREFIX}nm", linked], seconds=running.BUILD)
    fields = [line.split() for line in listed.splitlines()]
    return {f[2]: int(f[0], 16) for f in fields if len(f) == 3}
