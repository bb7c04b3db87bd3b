"""Kernels of x86-32: one operation of a cipher as text, with its memory, its cycles and who judged it.

Objects lie at fixed addresses, so that no register points to them: `PREFIX_key`, `PREFIX_keys` (what the key
setup makes, one array behind the other), `PREFIX_block`, tables, and a place for spilled values.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from cipherassay import strategies
from cipherassay._engine import MicroOps, Program
from cipherassay.embedded import text_form
from cipherassay.errors import DescriptionError, UsageError, nearest
from cipherassay.x86 import kept, select
from cipherassay.x86.fitting import Effort, Fitted
from cipherassay.x86.graph import Builder
from cipherassay.x86.model import Model
from cipherassay.x86.reader import Instruction, encoded, micro_operations, parse
from cipherassay.x86.run import Run
from cipherassay.x86.select import Steps

if TYPE_CHECKING:
    from cipherassay._engine import MicroOpsRun
    from cipherassay.ciphers import Cipher

ISA = "x86-32"
OPERATIONS = ("key_setup_encrypt", "key_setup_decrypt", "encrypt", "decrypt")
BASE = 0x10000
LINE = 32
CIRCUITS = ("two-alu", "infinite", "and-complement")
NEAR = 1.15
"""What takes so much longer than the shortest before the search is not searched."""
NOTHING = Fitted((), 0, 0, 0)


@dataclass(frozen=True)
class Piece:
    """An array of words in an object: parameter or result of the function, its bytes and those of a word."""

    object: str
    offset: int
    size: int
    word: int


@dataclass(frozen=True)
class Kernel:
    """An operation as code."""

    cipher: Cipher
    operation: str
    key_bits: int
    variant: str
    model: Model
    strategy: str
    circuits: str
    program: Program = field(repr=False)
    function: str
    fitted: Fitted = field(repr=False)
    parameters: tuple[Piece, ...] = field(repr=False)
    results: tuple[Piece, ...] = field(repr=False)
    tables: dict[str, tuple[int, list[int]]] = field(repr=False)
    prefix: str = ""

    @property
    def code(self) -> list[Instruction]:
        """Return the instructions, read from the text."""
        return [parse(line, k) for k, line in enumerate(self.fitted.lines, 1)]

    @property
    def code_bytes(self) -> int:
        """Return the bytes of the machine code."""
        return sum(encoded(one) for one in self.code)

    @property
    def table_bytes(self) -> int:
        """Return the bytes of the tables."""
        return sum(size // 8 * len(entries) for size, entries in self.tables.values())

    def objects(self) -> dict[str, int]:
        """Return names and bytes of all objects in the order in which they lie in memory."""
        sizes = {
            f"{self.prefix}_{name}": size // 8 * len(e) for name, (size, e) in sorted(self.tables.items())
        }
        for piece in (*self.parameters, *self.results):
            sizes[piece.object] = max(sizes.get(piece.object, 0), piece.offset + piece.size)
        return sizes | {f"{self.prefix}_spill": max(self.fitted.spilled, 4)}


def function_of(program: Program, operation: str) -> str:
    """Return the function that does an operation; raises UsageError ``X002`` if there is none."""
    if operation not in OPERATIONS:
        raise UsageError("X002", f"unknown operation `{operation}`", help=nearest(operation, OPERATIONS))
    if operation in ("encrypt", "decrypt"):
        return operation
    known = {one["name"] for one in program.functions()}
    separate = operation == "key_setup_decrypt" and "key_schedule_decrypt" in known
    return "key_schedule_decrypt" if separate else "key_schedule"


def applicable(cipher: Cipher) -> list[str]:
    """Return the strategies for this instruction set that a cipher has."""
    return strategies.applicable(cipher, for_processors=True, isa=ISA)


def best(
    cipher: Cipher,
    operation: str,
    model: Model,
    *,
    key_bits: int = 128,
    variant: str = "",
    strategy: str = "",
    effort: Effort | None = None,
) -> Kernel:
    """Return the kernel of fewest cycles of all strategies, or of one.

    What was found before for the same steps (`cipherassay.x86.kept`) is taken again, without an effort.

    Raises
    ------
    UsageError
        X002: no such operation. S030, S032, U010, U011: of strategies, key sizes and variants.
    DescriptionError
        X101 to X104: something of the program has no way yet.
    """
    prepared: list[_Prepared] = []
    failed: list[DescriptionError] = []
    for name in [strategy] if strategy else applicable(cipher):
        for circuits in CIRCUITS if _has_boxes(cipher) else CIRCUITS[:1]:
            try:
                prepared.append(_prepare(cipher, operation, model, name, circuits, key_bits, variant))
            except DescriptionError as error:
                failed.append(error)
    if not prepared:
        raise failed[0]
    estimates = [kept.estimate(one.steps, model) for one in prepared]
    promising = [one for one, e in zip(prepared, estimates, strict=True) if e <= NEAR * min(estimates)]
    made = [one.fitted(effort) for one in promising]
    return min(made, key=lambda kernel: (kernel.fitted.cycles, kernel.fitted.operations))


def make(
    cipher: Cipher,
    operation: str,
    model: Model,
    strategy: str,
    circuits: str = CIRCUITS[0],
    *,
    key_bits: int = 128,
    variant: str = "",
    effort: Effort | None = None,
) -> Kernel:
    """Return the kernel of one strategy; raises as `best`."""
    return _prepare(cipher, operation, model, strategy, circuits, key_bits, variant).fitted(effort)


def _has_boxes(cipher: Cipher) -> bool:
    return "bitsliced" in cipher.compile(cipher.key_bits[0]).text()


@dataclass(frozen=True)
class _Prepared:
    """A kernel before its steps have an order and registers."""

    kernel: Kernel
    steps: Steps

    def fitted(self, effort: Effort | None) -> Kernel:
        one = self.kernel
        name = f"{one.prefix}-{one.operation}"
        found = kept.fitted(self.steps, one.model, effort, f"{one.prefix}_spill", name)
        return replace(one, fitted=found)


def _prepare(
    cipher: Cipher, operation: str, model: Model, strategy: str, circuits: str, key_bits: int, variant: str
) -> _Prepared:
    program = strategies.program(cipher, key_bits, strategy, variant, circuits_target=circuits)
    function = function_of(program, operation)
    read = text_form.read(program.text())
    prefix = cipher.slug.replace("-", "_")
    one = read.functions[function]
    graph = Builder(read, one).build("result ")
    parameters, results = _pieces(one, prefix)
    addresses = {f"@{name}": (f"{prefix}_{name.replace('.', '_')}", 0) for name in read.tables}
    for (name, _), piece in zip(one.params, parameters, strict=True):
        addresses[name] = (piece.object, piece.offset)
    same: dict[str, str] = {}
    for k, piece in enumerate(results):
        addresses[f"result {k}"] = (piece.object, piece.offset)
        same |= {
            f"result {k}": n
            for (n, _), p in zip(one.params, parameters, strict=True)
            if p.object == piece.object
        }
    selection = select.Selection(graph, addresses, same)
    steps = selection.run()
    tables = {n.replace(".", "_"): t for n, t in read.tables.items() if f"@{n}" in selection.looked_up}
    kernel = Kernel(
        cipher, operation, key_bits, variant, model, strategy, circuits, program, function, NOTHING,
        parameters, results, tables, prefix,
    )  # fmt: skip
    return _Prepared(kernel, steps)


def _pieces(function: text_form.Function, prefix: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return where parameters and results of a function lie."""
    keys = f"{prefix}_keys"
    if function.name.startswith("key_schedule"):
        where = keys + function.name.removeprefix("key_schedule")
        return _laid([t for _, t in function.params], f"{prefix}_key"), _laid(function.results, where)
    types = [t for _, t in function.params]
    block = f"{prefix}_block"
    return (*_laid(types[:-1], keys), *_laid(types[-1:], block)), _laid(function.results, block)


def _laid(types: list[str], name: str) -> tuple[Piece, ...]:
    made, at = [], 0
    for ty in types:
        word = text_form.width(ty.split("[")[0]) // 8
        size = word
        for n in text_form.extents(ty):
            size *= n
        made.append(Piece(name, at, size, word))
        at += size
    return tuple(made)


def memory(kernel: Kernel) -> tuple[bytearray, dict[str, int]]:
    """Return a memory with the tables, and the addresses of the objects: each begins a line of the cache."""
    symbols: dict[str, int] = {}
    at = BASE
    for name, size in kernel.objects().items():
        symbols[name] = at
        at += size + -size % LINE
    data = bytearray(at - BASE)
    for name, (size, entries) in kernel.tables.items():
        place = symbols[f"{kernel.prefix}_{name}"] - BASE
        content = b"".join(e.to_bytes(size // 8, "little") for e in entries)
        data[place : place + len(content)] = content
    return data, symbols


Argument = int | bytes | list[int]


def record(pieces: tuple[Piece, ...], values: list[Argument]) -> Iterator[tuple[Piece, bytes]]:
    """Yield what lies in memory for values of the program."""
    for piece, value in zip(pieces, values, strict=True):
        words = value if isinstance(value, list | bytes) else [value]
        yield piece, b"".join(int(w).to_bytes(piece.word, "little") for w in words)


def run(kernel: Kernel, inputs: list[list[Argument]]) -> tuple[list[list[list[int]]], list[list[int]]]:
    """Execute the text for several inputs; return of each the program's results and the addresses."""
    data, symbols = memory(kernel)
    machine, code = Run(data, symbols, BASE), kernel.code
    results, addresses = [], []
    for values in inputs:
        for piece, content in record(kernel.parameters, values):
            place = symbols[piece.object] + piece.offset - BASE
            data[place : place + len(content)] = content
        addresses.append(machine.go(code))
        found = []
        for piece in kernel.results:
            place = symbols[piece.object] + piece.offset - BASE
            content = bytes(data[place : place + piece.size])
            found.append(
                [
                    int.from_bytes(content[k : k + piece.word], "little")
                    for k in range(0, piece.size, piece.word)
                ]
            )
        results.append(found)
    return results, addresses


def simulate(kernel: Kernel, addresses: list[list[int]], *, cache: bool = True) -> list[MicroOpsRun]:
    """Return what the simulator says of runs one after the other: cycles, operations, misses."""
    model = kernel.model
    code = json.dumps([micro_operations(one, model.load) for one in kernel.code])
    engine = MicroOps.parse(model.cached if cache else model.limits, code)
    return engine.run(list(range(len(kernel.fitted.lines))), addresses)
