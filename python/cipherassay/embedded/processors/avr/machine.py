"""simavr as the oracle for AVR assembly: assembled by binutils, each instruction run and its cycles counted.

It needs avr-gcc, libsimavr and a C compiler for the oracle itself.
"""

from __future__ import annotations

from pathlib import Path

from cipherassay.embedded.measuring import smaller
from cipherassay.embedded.processor import Call
from cipherassay.errors import ToolError, VerificationError
from cipherassay.tools import require, running

DEVICE = "atmega328p"
FLASH, RAM_END = 32 * 1024, 0x900
"""Bytes of flash, and where the RAM ends (ATmega328P data sheet, memories)."""
_LINKER = ("-Wl,-e,0", "-Wl,--defsym,__TEXT_REGION_LENGTH__=0x400000")
"""No start; code of any size: what does not fit is said here, with its size."""
_LINE = 256
"""Bytes that the driver is given in one line."""
_DRIVER = Path(__file__).with_name("simavr_driver.c")


class Machine:
    """A simulated processor with a program; used as a context."""

    def __init__(self, assembly: str, folder: Path, *, straight: bool = False) -> None:
        for tool in ("avr-gcc", "libsimavr", "cc"):
            require(tool)
        source, self.elf = folder / "cipher.S", folder / "cipher.elf"
        source.write_text(assembly, encoding="utf-8")
        first = "data" if ".section .data" in assembly else "bss"
        flags = [f"-mmcu={DEVICE}", "-nostartfiles", f"-Wl,--section-start=.{first}=0x800100"]
        _run(["avr-gcc", *flags, *_LINKER, "-o", str(self.elf), str(source)], "E121", "the assembly text")
        driver = folder / "driver"
        shared = "-Wl,--unresolved-symbols=ignore-in-shared-libs"
        _run(["cc", "-O1", "-o", str(driver), str(_DRIVER), "-lsimavr", shared], "E122", "the driver")
        self.symbols, self.sizes = _symbols(self.elf)
        self.data = self._initial(folder) if first == "data" else b""
        flash = self.symbols["_etext"] + len(self.data)
        help = "leave out --tables ram" if self.data else smaller(code_fits=flash <= FLASH, straight=straight)
        if flash > FLASH or self.symbols["_end"] & 0xFFFF > RAM_END:
            raise VerificationError(
                "E124",
                f"the code does not fit an {DEVICE}",
                notes=[
                    f"flash: {flash} of {FLASH} bytes",
                    f"RAM: {(self.symbols['_end'] & 0xFFFF) - 0x100} of {RAM_END - 0x100} bytes, no stack",
                ],
                help=help,
            )
        self.process = running.Interactive(
            [driver, DEVICE, self.elf], seconds=running.EXECUTE, what="simulating AVR"
        )

    def _initial(self, folder: Path) -> bytes:
        """Return what lies in RAM before `main`: no code of the start copies it there."""
        image = folder / "data.bin"
        _run(["avr-objcopy", "-O", "binary", "-j", ".data", str(self.elf), str(image)], "E121", "the program")
        return image.read_bytes()

    def __enter__(self) -> Machine:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.close()

    def _ask(self, command: str, answer: bool = True) -> str:
        self.process.send(command)
        while answer:
            line = self.process.line()
            if line.startswith("= "):
                return line[2:].strip()
        return ""

    def write(self, symbol: str, data: bytes) -> None:
        """Write bytes into RAM."""
        self._ask(f"write {self.symbols[symbol] & 0xFFFF} {data.hex()}", answer=False)

    def read(self, symbol: str, count: int) -> bytes:
        """Return bytes of RAM."""
        return bytes.fromhex(self._ask(f"read {self.symbols[symbol] & 0xFFFF} {count}"))

    def size(self, symbol: str) -> int:
        """Return the bytes of a function."""
        return self.sizes[symbol]

    def paint(self, byte: int) -> None:
        """Fill the RAM, but for what lies there before `main`."""
        self._ask(f"paint {byte}", answer=False)
        for at in range(0, len(self.data), _LINE):
            part = self.data[at : at + _LINE]
            self._ask(f"write {(self.symbols['__data_start'] & 0xFFFF) + at} {part.hex()}", answer=False)

    def touched(self, byte: int) -> int:
        """Return how many bytes of RAM do not hold a value, or were there before `main`."""
        return int(self._ask(f"touched {byte}")) + self.data.count(byte)

    def call(self, function: str) -> Call:
        """Call a function."""
        inside = [self.symbols.get(f"{function}_{mark}", 0) for mark in ("begin", "end")]
        answer = self._ask(f"call {self.symbols[function]} {inside[0]} {inside[1]}").split()
        if len(answer) != 4 or answer[3] != "returned":
            raise ToolError(
                "E123", f"`{function}` does not return in simavr", help="this is a bug: please report it"
            )
        return Call(int(answer[0]), int(answer[1]), int(answer[2]))


def _run(command: list[str], code: str, what: str) -> None:
    done = running.run(command, seconds=running.BUILD)
    if done.code:
        raise ToolError(code, f"`{command[0]}` refuses {what}", notes=done.err.splitlines()[:8])


def _symbols(elf: Path) -> tuple[dict[str, int], dict[str, int]]:
    listed = running.output(["avr-nm", "-S", elf], seconds=running.BUILD)
    fields = [line.split() for line in listed.splitlines()]
    places = {f[-1]: int(f[0], 16) for f in fields if len(f) in (3, 4)}
    return places, {f[3]: int(f[1], 16) for f in fields if len(f) == 4}
