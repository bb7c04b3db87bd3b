"""Kernels of x86-32: one operation of a cipher as text, with its memory, its cycles and who checked it.

Objects lie at fixed addresses, so that no register points to them: `PREFIX_key`, `PREFIX_keys` (what the key
setup makes, one array behind the other; `PREFIX_keys_decrypt`, where decryption has a key schedule of its
own), `PREFIX_block`, tables, and a place for spilled values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from cipherassay import ir, strategies
from cipherassay._engine import Program, X86Code, X86Function
from cipherassay.errors import DescriptionError, UsageError, nearest
from cipherassay.lang.shapes import BLOCK_OPERATIONS, function_for
from cipherassay.processors.programs import fitting_words
from cipherassay.x86 import kept
from cipherassay.x86.fitting import Effort, FittedCode
from cipherassay.x86.model import Model, forms

if TYPE_CHECKING:
    from cipherassay._engine import MicroOpsRun
    from cipherassay.ciphers import Cipher

ISA = "x86-32"
OPERATIONS = ("key_setup_encrypt", "key_setup_decrypt", "key_setup_evaluate", *BLOCK_OPERATIONS)
BASE = 0x10000
LINE = 32
REGISTER_BITS = 32
CIRCUITS = ("two-alu", "infinite", "and-complement")
NEAR = 1.15
"""What takes so much longer than the shortest in the order from which a search starts is not searched."""
NOTHING = FittedCode((), 0, 0, 0)
WORDS = range(4)
"""How many words of loops are tried in registers."""


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
    fitted: FittedCode = field(repr=False)
    parameters: tuple[Piece, ...] = field(repr=False)
    results: tuple[Piece, ...] = field(repr=False)
    tables: dict[str, ir.Table] = field(repr=False)
    prefix: str = ""
    work: int = 0
    key: str = ""
    """The one key that the code is for, hexadecimal; empty: it serves all. `work`: bytes between regions."""
    words: int = 0
    """Words that stay in registers from iteration to iteration of innermost loops."""

    @property
    def code(self) -> X86Code:
        """Return the instructions, read from the text."""
        return _decoded(self.fitted.lines)

    @property
    def labels(self) -> dict[str, int]:
        """Return the places of labels among the instructions."""
        return self.code.labels()

    @property
    def code_bytes(self) -> int:
        """Return the bytes of the machine code."""
        return sum(self.code.lengths())

    @property
    def table_bytes(self) -> int:
        """Return the bytes of the tables."""
        return sum(_bytes(table) for table in self.tables.values())

    def objects(self) -> dict[str, int]:
        """Return names and bytes of all objects in the order in which they lie in memory."""
        sizes = {f"{self.prefix}_{name}": _bytes(table) for name, table in sorted(self.tables.items())}
        for piece in (*self.parameters, *self.results):
            sizes[piece.object] = max(sizes.get(piece.object, 0), piece.offset + piece.size)
        work = {f"{self.prefix}_work": self.work} if self.work else {}
        return sizes | work | {f"{self.prefix}_spill": max(self.fitted.spilled, 4)}


@lru_cache(maxsize=64)
def _decoded(lines: tuple[str, ...]) -> X86Code:
    return X86Code.parse(lines, forms())


def function_of(program: Program, operation: str) -> str:
    """Return the function that does an operation; raises UsageError ``X002`` if there is none."""
    if operation not in OPERATIONS:
        raise UsageError("X002", f"unknown operation `{operation}`", help=nearest(operation, OPERATIONS))
    return function_for(operation, [one["name"] for one in program.functions()])


def applicable(cipher: Cipher, *, one_key: bool = False) -> list[str]:
    """Return the strategies for this instruction set that a cipher has, or those of code for one key."""
    found = strategies.applicable(cipher, for_processors=True, isa=ISA)
    return [name for name in found if strategies.load(name).for_each_key == one_key]


def looping(cipher: Cipher) -> list[str]:
    """Return the strategies of a cipher that keep rounds as loops."""
    return [name for name in applicable(cipher) if strategies.load(name).loops]


def by_form(cipher: Cipher, names: Sequence[str]) -> dict[str | None, list[str]]:
    """Return strategies by the form of the cipher that they start from: these share the round keys."""
    forms: dict[str | None, list[str]] = {}
    for name in names:
        forms.setdefault(strategies.load(name).form_for(cipher), []).append(name)
    return forms


def for_blocks(cipher: Cipher, model: Model) -> Sequence[str]:
    """Return the strategies of the form whose encryption is the fastest: whose round keys are wanted."""
    forms = by_form(cipher, applicable(cipher))
    if len(forms) == 1:
        return next(iter(forms.values()))
    fastest = best(cipher, "encrypt", model).strategy
    return next(names for names in forms.values() if fastest in names)


def _tried(cipher: Cipher, operation: str, *, one_key: bool) -> list[str]:
    """Return the strategies to try: blocks are fastest straight, key setups may be too long for a cache.

    Blocks of ciphers that are too long for straight-line code have loops.
    """
    every = applicable(cipher, one_key=one_key)
    blocks = operation in BLOCK_OPERATIONS
    return [name for name in every if not (blocks and strategies.load(name).loops)] or every


def best(
    cipher: Cipher,
    operation: str,
    model: Model,
    *,
    key_bits: int = 0,
    variant: str = "",
    strategy: str = "",
    among: Sequence[str] = (),
    key: str = "",
    effort: Effort | None = None,
) -> Kernel:
    """Return the kernel of fewest cycles of all strategies, of several (`among`), or of one.

    What was found before for the same steps (`cipherassay.x86.kept`) is taken again: orders, and which
    strategy was best. With an effort all are compared anew, the best is searched on from what is kept, and
    both are kept. With a key (hexadecimal) the code is for this key alone.

    Raises
    ------
    UsageError
        X002: no such operation. S030, S032, S033, U010, U011: of strategies, keys, key sizes and variants.
    DescriptionError
        X101 to X105: something of the program has no way yet.
    """
    names = [strategy] if strategy else among or _tried(cipher, operation, one_key=bool(key))
    prepared = candidates(cipher, operation, model, names, key_bits=key_bits, variant=variant, key=key)
    title = f"{prepared[0].title} of {', '.join(names)}"
    digests = [one.digest for one in prepared]
    known = kept.choice(title, digests) if effort is None else None
    best = prepared[known] if known is not None else _fastest(prepared)
    if effort is not None:
        kept.keep_choice(title, digests, prepared.index(best))
    return best.fitted(effort)


def quick(cipher: Cipher, operation: str, model: Model, *, key_bits: int = 0) -> Kernel:
    """Return the kernel of one strategy in one order of its steps: nothing is compared, nothing searched for.

    The strategy is the one that a search kept as the best, or else the first that makes it.

    Raises
    ------
    DescriptionError
        X101 to X105: of all strategies, the error of the first.
    """
    names = _tried(cipher, operation, one_key=False)
    circuits = strategies.circuits_worth_trying(cipher, CIRCUITS)[0]
    ways = [(name, circuits, 0) for name in names]
    title = title_of(cipher, operation, cipher.key_size(key_bits), model)
    known = kept.best_of(f"{title} of {', '.join(names)}")
    failed: list[DescriptionError] = []
    for strategy, target, words in [*([known] if known else []), *ways]:
        try:
            one = _prepare(cipher, operation, model, strategy, target, key_bits, "", words=words)
            return one.fitted(kept.NONE)
        except DescriptionError as error:
            failed.append(error)
    raise failed[0]


def title_of(cipher: Cipher, operation: str, key_bits: int, model: Model, variant: str = "") -> str:
    """Return what a kernel is, by which a choice is kept."""
    what = f"{_prefix(cipher)} {operation}, {key_bits} bits"
    return what + (f", {variant}" if variant else "") + f", on {model.name}"


def _prefix(cipher: Cipher) -> str:
    return cipher.slug.replace("-", "_")


def candidates(
    cipher: Cipher,
    operation: str,
    model: Model,
    names: Sequence[str],
    *,
    key_bits: int,
    variant: str = "",
    key: str = "",
) -> list[PreparedKernel]:
    """Return the kernels of several strategies before their steps have an order; raises as `best`."""
    prepared: list[PreparedKernel] = []
    failed: list[DescriptionError] = []
    for name in names:
        for circuits in strategies.circuits_worth_trying(cipher, CIRCUITS):
            try:
                one = _prepare(cipher, operation, model, name, circuits, key_bits, variant, key)
                prepared += [one, *one.with_words()]
            except DescriptionError as error:
                failed.append(error)
    if not prepared:
        raise failed[0]
    return prepared


def _fastest(prepared: list[PreparedKernel]) -> PreparedKernel:
    """Return what takes the fewest cycles, of what comes near to that before a search."""
    if len(prepared) == 1:
        return prepared[0]
    estimates = [cost(one.fitted(kept.NONE)) for one in prepared]
    promising = [one for one, e in zip(prepared, estimates, strict=True) if e <= NEAR * min(estimates)]
    if len(promising) == 1:
        return promising[0]
    made = [one.fitted(None) for one in promising]
    return min(zip(promising, made, strict=True), key=lambda p: (cost(p[1]), p[1].fitted.operations))[0]


def make(
    cipher: Cipher,
    operation: str,
    model: Model,
    strategy: str,
    circuits: str = CIRCUITS[0],
    *,
    key_bits: int = 0,
    variant: str = "",
    key: str = "",
    words: int = 0,
    effort: Effort | None = None,
) -> Kernel:
    """Return the kernel of one strategy; raises as `best`."""
    one = _prepare(cipher, operation, model, strategy, circuits, key_bits, variant, key, words)
    return one.fitted(effort)


def cost(kernel: Kernel) -> float:
    """Return the cycles of a run with caches that earlier runs filled; all read what lies at zeros."""
    addresses = _trace(kernel)[1]
    return simulate(kernel, [addresses] * 2)[-1]["cycles"]


def _bytes(table: ir.Table) -> int:
    return table.bits // 8 * len(table.entries)


@dataclass(frozen=True)
class PreparedKernel:
    """A kernel before its steps have an order and registers: straight-line code is a single part."""

    kernel: Kernel
    function: X86Function

    @property
    def title(self) -> str:
        """Return what it is, by which a choice is kept."""
        one = self.kernel
        return title_of(one.cipher, one.operation, one.key_bits, one.model, one.variant)

    @property
    def digest(self) -> str:
        """Return what it is made by, and the hash of its steps."""
        one = self.kernel
        words = f" {one.words}" if one.words else ""
        return f"{one.strategy} {one.circuits}{words} {kept.function_digest(self.function, one.model)}"

    def with_words(self) -> list[PreparedKernel]:
        """Return the same with words of loops in registers, as many as make a difference."""
        found = [self]
        for words in WORDS[1:] if not self.function.straight else ():
            one = self.kernel
            function = _read(one.program, one.operation, one.prefix, words).code
            other = PreparedKernel(replace(one, words=words), function)
            digests = [kept.function_digest(it.function, one.model) for it in (other, found[-1])]
            if digests[0] == digests[1]:
                break
            found.append(other)
        return found[1:]

    def fitted(self, effort: Effort | None) -> Kernel:
        """Return the kernel with its text."""
        one, parts = self.kernel, self.function.parts()
        name = f"{one.prefix}-{one.operation}"
        names = [name] if self.function.straight else [f"{name}-{k}" for k in range(1, len(parts) + 1)]
        placed = [kept.placed(part, one.model, effort, n) for part, n in zip(parts, names, strict=True)]
        lines, places, spilled = self.function.text(placed, f"{one.prefix}_spill", f".L{one.operation}")
        first = placed[0]
        fitted = FittedCode(tuple(lines), spilled, first.cycles, first.operations, tuple(map(tuple, places)))
        made = replace(one, fitted=fitted)
        if self.function.straight:
            return made
        run = simulate(made, [_trace(made)[1]], cache=False)[0]
        return replace(made, fitted=replace(made.fitted, cycles=run["cycles"], operations=run["operations"]))


def _prepare(
    cipher: Cipher,
    operation: str,
    model: Model,
    strategy: str,
    circuits: str,
    key_bits: int,
    variant: str,
    key: str = "",
    words: int = 0,
) -> PreparedKernel:
    key_bits = cipher.key_size(key_bits)
    program = strategies.program(
        cipher, key_bits, strategy, variant, key=bytes.fromhex(key) if key else None, circuits_target=circuits
    )
    prefix = _prefix(cipher)
    if any(ty.bits % 8 for ty in _interface(program, operation)):
        program = legal(program)
    try:
        read = _read(program, operation, prefix, words)
    except DescriptionError:
        if (legalized := legal(program)) is program:
            raise
        program, read = legalized, _read(legalized, operation, prefix, words)
    kernel = Kernel(
        cipher, operation, key_bits, variant, model, strategy, circuits, program, read.function, NOTHING,
        read.parameters, read.results, read.tables, prefix, read.code.work, key, words,
    )  # fmt: skip
    return PreparedKernel(kernel, read.code)


def _interface(program: Program, operation: str) -> Iterator[ir.Type]:
    """Yield the types of what an operation is given and gives."""
    one = program.mirror().functions.get(function_of(program, operation))
    if one is not None:
        yield from (ty for _, ty in one.params)
        yield from one.results


def legal(program: Program) -> Program:
    """Return a program of bytes and words of 32 bits: the same where it has no others."""
    widened = fitting_words(program, REGISTER_BITS).passes([f"widen-words:width={REGISTER_BITS}"])
    if widened.text() == program.text():
        return program
    return widened.passes(strategies.pipeline("clean-up"))


@dataclass(frozen=True)
class _Compilation:
    """The function of an operation for all processors: its name, where its values lie, its code."""

    function: str
    parameters: tuple[Piece, ...]
    results: tuple[Piece, ...]
    tables: dict[str, ir.Table]
    code: X86Function


@lru_cache(maxsize=16)
def _read(program: Program, operation: str, prefix: str, words: int) -> _Compilation:
    function = function_of(program, operation)
    read = program.mirror()
    if function not in read.functions:
        known = ", ".join(name for name in read.functions if name in BLOCK_OPERATIONS)
        of_key = " in code for one key" if "only_key" in program.meta else f" in {program.name}"
        raise UsageError("X004", f"there is no `{operation}`{of_key}", help=known)
    one = read.functions[function]
    parameters, results = _pieces(one, prefix, separate="key_schedule_decrypt" in read.functions)
    names = [table.name.replace(".", "_") for table in read.table_list]
    code = X86Function.select(
        program,
        function,
        parameters=[(piece.object, piece.offset) for piece in parameters],
        results=[(piece.object, piece.offset) for piece in results],
        tables=[(f"{prefix}_{name}", 0) for name in names],
        work=f"{prefix}_work",
        words=words,
    )
    tables = {names[k]: read.table_list[k] for k in code.tables}
    return _Compilation(function, parameters, results, tables, code)


def _pieces(
    function: ir.Function, prefix: str, *, separate: bool
) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return where parameters and results of a function lie; ``separate``: decryption has own round keys."""
    keys = f"{prefix}_keys"
    if separate and function.name in ("decrypt", "key_schedule_decrypt"):
        keys += "_decrypt"
    types = [ty for _, ty in function.params]
    if function.name.startswith("key_schedule"):
        return _laid(types, f"{prefix}_key"), _laid(function.results, keys)
    block = f"{prefix}_block"
    return (*_laid(types[:-1], keys), *_laid(types[-1:], block)), _laid(function.results, block)


def _laid(types: Sequence[ir.Type], name: str) -> tuple[Piece, ...]:
    made, at = [], 0
    for ty in types:
        word = ty.bits // 8
        size = word * ty.cells
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
    for name, table in kernel.tables.items():
        place = symbols[f"{kernel.prefix}_{name}"] - BASE
        content = b"".join(entry.to_bytes(table.bits // 8, "little") for entry in table.entries)
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
    memories = []
    for values in inputs:
        memories.append(bytearray(data))
        for piece, content in record(kernel.parameters, values):
            at = symbols[piece.object] + piece.offset - BASE
            memories[-1][at : at + piece.size] = content
    _, addresses, left = kernel.code.execute([bytes(one) for one in memories], symbols, BASE)
    return [[_words(one, symbols, piece) for piece in kernel.results] for one in left], addresses


def _words(data: bytes, symbols: dict[str, int], piece: Piece) -> list[int]:
    begin = symbols[piece.object] + piece.offset - BASE
    places = range(begin, begin + piece.size, piece.word)
    return [int.from_bytes(data[at : at + piece.word], "little") for at in places]


def _trace(kernel: Kernel) -> tuple[list[int], list[int]]:
    """Return the places of the instructions that run, the same for all inputs, and addresses for zeros."""
    data, symbols = memory(kernel)
    places, (addresses,), _ = kernel.code.execute([bytes(data)], symbols, BASE)
    return places, addresses


def executed(kernel: Kernel) -> int:
    """Return how many instructions a run executes."""
    return len(_trace(kernel)[0]) if kernel.labels else len(kernel.code)


def simulate(kernel: Kernel, addresses: list[list[int]], *, cache: bool = True) -> list[MicroOpsRun]:
    """Return what the simulator says of runs one after the other: cycles, operations, misses.

    Caches are empty before the first one and stay as it left them.
    """
    model, code = kernel.model, kernel.code
    limits = model.cached if cache else _hitting(kernel)
    order = _trace(kernel)[0] if kernel.labels else list(range(len(code)))
    return code.simulate(forms(), limits, model.load, order, addresses)


def profile(kernel: Kernel) -> list[tuple[int, float, int | None]]:
    """Return of each instruction how often it runs, its share of the cycles, the cycle in which it retires.

    Every access hits the caches, as for `FittedCode.cycles`.
    """
    places, addresses = _trace(kernel)
    return kernel.code.profile(forms(), _hitting(kernel), kernel.model.load, places, addresses)


def _hitting(kernel: Kernel) -> str:
    """Return the limits of a processor whose caches hold everything."""
    return kernel.model.looping if kernel.labels else kernel.model.limits
