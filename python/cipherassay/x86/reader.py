"""x86-32 assembly text (AT&T) as instructions: operands, bytes, micro-operations."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from cipherassay.errors import DescriptionError

NAMES = ("eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi")
"""Registers by their number in the machine code."""
LOW = ("al", "cl", "dl", "bl")
HIGH = ("ah", "ch", "dh", "bh")
OPERAND = 64
"""`%0`, `%1` … in templates are the registers from this number on; `%0l` and `%0h` are bytes of theirs."""
TEMPORARY = 16
FLAGS = TEMPORARY + 2
"""What a branch reads: the result of the arithmetic before it."""
ALU = ("add", "sub", "and", "or", "xor")
SHIFTS = ("shl", "shr", "rol", "ror")
FILE = Path(__file__).parent / "instructions.toml"


@dataclass(frozen=True)
class Register:
    """A register, or a byte of it (0: the low one, 1: the second)."""

    number: int
    byte: int | None = None


@dataclass(frozen=True)
class Memory:
    """An address: symbol, number, registers."""

    symbol: str = ""
    offset: int = 0
    base: int | None = None
    index: int | None = None
    scale: int = 1

    @property
    def registers(self) -> list[int]:
        """Return the registers that the address is made of."""
        return [r for r in (self.base, self.index) if r is not None]


Operand = Register | Memory | int


@dataclass(frozen=True)
class Instruction:
    """An instruction: mnemonic without the letter of its size, operands with what is changed first.

    `target` is the label of a branch.
    """

    line: int
    text: str
    name: str
    operands: tuple[Operand, ...] = field(default=())
    target: str = ""

    @property
    def memory(self) -> Memory | None:
        """Return its operand in memory."""
        return next((o for o in self.operands if isinstance(o, Memory)), None)

    @property
    def size(self) -> int:
        """Return the bytes of its access to memory."""
        return 1 if self.name in ("movb", "movzb") else 4

    def form(self) -> str:
        """Return how `instructions.toml` names it."""
        if self.target:
            return f"{self.name} label"
        group = "alu" if self.name in ALU else "shift" if self.name in SHIFTS else self.name
        return f"{group} {','.join(map(_kind, self.operands))}"


def _kind(operand: Operand) -> str:
    if isinstance(operand, Register):
        return "r" if operand.byte is None else "b"
    return "m" if isinstance(operand, Memory) else "i"


_MNEMONIC = re.compile(rf"({'|'.join((*ALU, *SHIFTS))}|mov|movb|movzb|imul|lea|not|neg|bswap)l?$")
_BRANCH = re.compile(r"(jne)\s+([A-Za-z_.][\w.]*)$")
_LABEL = re.compile(r"([A-Za-z_.][\w.]*):$")
_ADDRESS = re.compile(r"([A-Za-z_.][\w.]*)?([+-]?\s*\d+)?(?:\((%\w+)?(?:,\s*(%\w+)(?:,\s*([1248]))?)?\))?$")


def read(text: str, file: str = "assembly text") -> list[Instruction]:
    """Return the instructions between the labels `.Lbegin` and `.Lend`, or of the whole text.

    Raises
    ------
    DescriptionError
        X201: a line that is no instruction the simulator knows.
    """
    lines = [(n, line.split("#")[0].strip()) for n, line in enumerate(text.splitlines(), 1)]
    starts = [k for k, (_, line) in enumerate(lines) if line == ".Lbegin:"]
    ends = [k for k, (_, line) in enumerate(lines) if line == ".Lend:"]
    if starts and ends:
        lines = lines[starts[0] + 1 : ends[0]]
    return [parse(line, number, file) for number, line in lines if line and not line.startswith(".")]


def program(lines: Sequence[str]) -> tuple[list[Instruction], dict[str, int]]:
    """Return the instructions of lines, and the places of labels among them; raises as `read`.

    Raises
    ------
    DescriptionError
        X203: a branch whose label does not stand before it.
    """
    code: list[Instruction] = []
    labels: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if match := _LABEL.match(line):
            labels[match[1]] = len(code)
            continue
        one = parse(line, number)
        if one.target and one.target not in labels:
            raise DescriptionError("X203", f"`{line}` branches to no label before it")
        code.append(one)
    return code, labels


def lengths(code: Sequence[Instruction], labels: Mapping[str, int]) -> list[int]:
    """Return the bytes of instructions; a branch is short where it can be."""
    found: list[int] = []
    for one in code:
        back = sum(found[labels[one.target] :]) + 2 if one.target else 0
        found.append((2 if back <= 128 else 6) if one.target else encoded(one))
    return found


@lru_cache(maxsize=1 << 14)
def parse(line: str, number: int = 1, file: str = "assembly text") -> Instruction:
    """Return one instruction; raises as `read`."""
    if branch := _BRANCH.match(line):
        return Instruction(number, line, branch[1], target=branch[2])
    mnemonic, _, rest = line.partition(" ")
    match = _MNEMONIC.match(mnemonic)
    operands = tuple(reversed([_operand(o.strip()) for o in _split(rest)])) if match else ()
    if match and None not in operands:
        made = Instruction(number, line, match[1], operands)  # type: ignore[arg-type]
        if made.form() in forms():
            return made
    raise DescriptionError(
        "X201",
        f"`{line}` is no instruction that the simulator knows",
        notes=[f"{file}, line {number}"],
        help="those that it knows stand in x86/instructions.toml",
    )


def _split(text: str) -> list[str]:
    return [part for part in re.split(r",(?![^(]*\))", text) if part.strip()]


def _operand(text: str) -> Operand | None:
    if text.startswith("$"):
        return int(text[1:], 0) & 0xFFFFFFFF
    if text.startswith("%"):
        return _register(text[1:])
    match = _ADDRESS.match(text)
    if not match:
        return None
    base, index = (_register(r[1:]) if r else None for r in (match[3], match[4]))
    return Memory(
        match[1] or "",
        int((match[2] or "0").replace(" ", "")),
        base.number if base else None,
        index.number if index else None,
        int(match[5] or 1),
    )


def _register(name: str) -> Register | None:
    if match := re.fullmatch(r"(\d)([lh]?)", name):
        return Register(OPERAND + int(match[1]), {"": None, "l": 0, "h": 1}[match[2]])
    for names, byte in ((NAMES, None), (LOW, 0), (HIGH, 1)):
        if name in names:
            return Register(names.index(name), byte)
    return None


@cache
def forms() -> dict[str, str]:
    """Return the micro-operations of each form."""
    known: dict[str, str] = tomllib.loads(FILE.read_text(encoding="utf-8"))["forms"]
    return known


def records() -> list[dict[str, str]]:
    """Return the forms with their micro-operations, source and confidence."""
    known = tomllib.loads(FILE.read_text(encoding="utf-8"))
    own = {key: known[key] for key in ("source", "confidence")}
    return [{"form": form, "operations": parts} | own for form, parts in known["forms"].items()]


def encoded(one: Instruction) -> int:
    """Return the bytes of an instruction's machine code; of a branch those of a short one."""
    if one.target:
        return 2
    name, operands, memory = one.name, one.operands, one.memory
    accumulator = bool(operands) and operands[0] == Register(0)
    immediate = next((o for o in operands if isinstance(o, int)), None)
    short = immediate is not None and (immediate < 128 or immediate >= 0xFFFFFF80)
    if name == "mov" and immediate is not None and memory is None:
        return 5
    moved = Register(0) in operands if name == "mov" else name == "movb" and Register(0, 0) in operands
    if moved and memory is not None and not memory.registers:
        return 5
    size = 1 + (1 if name in ("movzb", "imul") and one.form() != "imul r,r,i" and immediate is None else 0)
    size += 1 if name == "bswap" else _modrm(memory)
    if immediate is not None and name in ALU and not short:
        return 5 if accumulator else size + 4
    if name in SHIFTS:
        return size + (1 if immediate not in (None, 1) else 0)
    if immediate is not None:
        size += 4 if name == "mov" else 1 if short else 4
    return size


def _modrm(memory: Memory | None) -> int:
    if memory is None:
        return 1
    if memory.index is not None and memory.base is None or not memory.registers:
        return 5 if memory.index is None else 6
    size = 1 + (1 if memory.index is not None or memory.base == 4 else 0)
    if memory.symbol:
        return size + 4
    near = -128 <= memory.offset < 128
    return size + (0 if memory.offset == 0 and memory.base != 5 else 1 if near else 4)


def micro_operations(one: Instruction, load_latency: int, *, flags: bool = False) -> dict[str, Any]:
    """Return an instruction as the engine's simulator takes it, with flags the register of flags as well."""
    if one.target:
        branch = {"ports": 1 << 1, "latency": 1, "reads": [FLAGS], "writes": []}
        return {"bytes": encoded(one), "operations": [branch], "size": 0, "branch": True}
    parts = forms()[one.form()].split()
    memory, operands = one.memory, one.operands
    address = memory.registers if memory else []
    target = operands[0].number if isinstance(operands[0], Register) else None
    sources = [o.number for o in operands[1:] if isinstance(o, Register)]
    if target is not None and one.name not in ("mov", "movzb", "lea") and len(operands) < 3:
        sources.append(target)
    written = [] if target is None else [target]
    made: list[dict[str, Any]] = []
    loaded = [TEMPORARY] if "p2" in parts and len(parts) > 1 else []
    for place, part in enumerate(parts):
        ports, _, latency = part[1:].partition(":")
        op: dict[str, Any] = {"ports": sum(1 << int(p) for p in ports), "latency": int(latency or 1)}
        if part == "p2":
            op |= {"latency": load_latency, "reads": address, "writes": loaded or written, "access": "load"}
        elif part == "p3":
            op |= {"reads": address, "access": "address"}
        elif part == "p4":
            op |= {"reads": [TEMPORARY + 1] if "p2" in parts else sources, "access": "data"}
        elif one.name == "bswap":
            op |= {"reads": [TEMPORARY] if place else [target], "writes": [target] if place else [TEMPORARY]}
        else:
            reads = [*loaded, *sources, *(address if one.name == "lea" else [])]
            op |= {"reads": sorted(set(reads)), "writes": [TEMPORARY + 1] if target is None else [target]}
            if flags and one.name in ALU:
                op["writes"] = [*op["writes"], FLAGS]
        made.append(op)
    return {
        "bytes": encoded(one),
        "operations": made,
        "size": one.size if memory and one.name != "lea" else 0,
    }
