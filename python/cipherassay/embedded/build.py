"""A cipher's program as one assembly file."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from cipherassay import ir
from cipherassay.embedded.lines import Tables
from cipherassay.embedded.processor import Processor
from cipherassay.errors import DescriptionError, VerificationError
from cipherassay.lang.shapes import BLOCK_OPERATIONS

if TYPE_CHECKING:
    from cipherassay._engine import Code, Program
    from cipherassay.ciphers import Cipher

SEPARATE = "key_schedule_decrypt"
"""The function of a key schedule of its own for decryption."""
SCHEDULES = ("key_schedule", SEPARATE)
FUNCTIONS = ("key_schedule", *BLOCK_OPERATIONS, SEPARATE)
STRATEGIES = {True: "bytes", False: "bytes-looped"}
"""Strategies by whether all loops are written out."""
PAIRED = {True: "paired-bytes", False: "paired-bytes-looped"}
"""The same for programs in which words of four bits can be kept in pairs."""
SEVERAL = {"bytes-looped": "bytes-several-rounds", "paired-bytes-looped": "paired-bytes-several-rounds"}
"""Of strategies with loops those whose iterations have more rounds: they have the same passes and more."""
GAIN = 0.13
"""The part of cycles that code has to save to be taken where its loops are two to eight times as long."""
PAIRING = "pair-nibbles"
"""The pass behind which round keys lie in memory as they are kept."""


Instruction = tuple[int, int, int, tuple[tuple[int, int], ...]]
"""Line, runs, cycles of each, places."""


@dataclass(frozen=True)
class Assembly:
    """Text, functions in it, sizes of the objects in RAM (``NAME_key``, ``NAME_block``, others).

    ``tables`` says how many bytes of tables each function reads, ``cycles`` about how many cycles it takes,
    ``instructions`` of each instruction its line in the text (from 1), how often it runs, its cycles, and
    file and line of each place that it comes from.
    """

    text: str
    functions: tuple[str, ...]
    objects: dict[str, int]
    tables: dict[str, int]
    cycles: dict[str, int]
    instructions: dict[str, list[Instruction]]


@dataclass(frozen=True)
class AssembledCipher:
    """A cipher's program, and its assembly for one key size.

    In ``program`` round keys are as they lie in memory; ``strategy`` made the code of it.
    """

    cipher: Cipher
    key_bits: int
    variant: str
    unrolled: bool
    program: Program
    strategy: str
    assembly: Assembly
    processor: Processor

    @property
    def prefix(self) -> str:
        """Return what the names of its functions begin with."""
        return self.cipher.slug.replace("-", "_")

    @property
    def functions(self) -> tuple[str, ...]:
        """Return the functions that are called from outside."""
        return self.assembly.functions

    @property
    def separate(self) -> bool:
        """Return whether decryption has a key schedule of its own."""
        return SEPARATE in self.functions


def split_into_bytes(program: Program, *, unrolled: bool, strategy: str = "") -> Program:
    """Return a program after the passes that make it one of bytes, with loops of one body or none.

    ``strategy`` is one of `STRATEGIES`, if none is given, or of `PAIRED`.
    """
    from cipherassay import strategies

    return strategies.passed(program, byte_passes(program, strategy or STRATEGIES[unrolled]))


def split_in_pairs(program: Program, *, unrolled: bool) -> Program | None:
    """Return a program split by the strategy of `PAIRED`; None where no essential pass changes it."""
    from cipherassay import strategies

    name = PAIRED[unrolled]
    essential = strategies.load(name).essential
    split, changes, passes = program, False, byte_passes(program, name)
    ends = [n for n, one in enumerate(passes) if one.split(":")[0] in essential]
    for begin, end in pairwise((0, *ends, len(passes))):
        before = strategies.passed(split, passes[begin : begin + 1])
        changes = changes or (begin in ends and before.text() != split.text())
        split = strategies.passed(before, passes[begin + 1 : end])
    return split if changes else None


def split_in_several(split: Program, strategy: str) -> Program | None:
    """Return a program that a strategy has split with more rounds an iteration; None if none is different."""
    from cipherassay import strategies

    if strategy not in SEVERAL:
        return None
    more = strategies.load(SEVERAL[strategy]).passes[len(strategies.load(strategy).passes) :]
    longer = strategies.passed(split, more)
    return longer if longer.text() != split.text() else None


def is_faster(one: Assembly, other: Assembly, by: float = 0) -> bool:
    """Return whether an operation on blocks takes fewer cycles than in other code, and none takes more.

    ``by`` is the part of the other's cycles that one is to save, and none may save less.
    """
    both = [(one.cycles[name], other.cycles[name]) for name in one.functions if name in BLOCK_OPERATIONS]
    most = [(a, (1 - by) * b) for a, b in both]
    return all(a <= b for a, b in most) and any(a < b for a, b in both)


def with_round_keys_as_kept(program: Program, strategy: str) -> Program:
    """Return a program whose round keys are as the code of a strategy keeps them: some in pairs."""
    from cipherassay import strategies

    passes = byte_passes(program, strategy)
    return strategies.passed(program, passes[: passes.index(PAIRING) + 1]) if PAIRING in passes else program


def byte_passes(program: Program, strategy: str) -> tuple[str, ...]:
    """Return the passes of a strategy that splits a program into bytes."""
    from cipherassay import strategies

    # The code of a matrix doubles whole bytes: over a smaller field the products are written out before.
    small = any(one.polynomial >> 8 == 0 for one in program.mirror().matrix_list)
    products = ("lower-linear", "fold", "dce") if small else ()
    return (*products, *strategies.load(strategy).passes)


def assembly(program: Program, prefix: str, head: list[str], processor: Processor) -> Assembly:
    """Return the assembly of a program that ``split-words`` has split into bytes; ``head`` are comments."""
    objects: dict[str, int] = {}
    body: list[str] = []
    used: Tables = {}
    read: dict[str, int] = {}
    cycles: dict[str, int] = {}
    instructions: dict[str, list[Instruction]] = {}
    above = [*(f"; {line}" for line in head), "", f"\t{processor.section}"]
    functions = program.mirror().functions
    names = [name for name in FUNCTIONS if name in functions]
    for name in names:
        where = places(
            functions[name], prefix, objects,
            from_key="key_schedule" not in functions,
            separate=SEPARATE in functions,
        )  # fmt: skip
        code = processor.lowered(program, name, f"{prefix}_{name}", where)
        _check_room(code, processor)
        made, slots, own = processor.function(program, code, f"{prefix}_block")
        body += [""]
        instructions[name] = [
            (len(above) + len(body) + n, runs, taken, tuple(found))
            for n, (runs, taken, found) in enumerate(made.costs(), 1)
            if taken
        ]
        body += made.renamed({o: (f"{code.name}_{o}", 0) for o in own}).text()
        objects |= {f"{code.name}_{o}": size for o, size in own.items()}
        if slots:
            objects[f"{code.name}_spill"] = slots
        used |= code.tables
        read[name] = sum(map(len, code.tables.values()))
        cycles[name] = made.cycles
    lines = [*above, *body, "", *processor.data(program, used, prefix, objects)]
    return Assembly("\n".join(lines) + "\n", tuple(names), objects, read, cycles, instructions)


def _check_room(code: Code, processor: Processor) -> None:
    """Raise VerificationError (E124) where a function alone is longer than program memory."""
    if code.least_bytes > processor.program_bytes:
        raise VerificationError(
            "E124",
            f"the code does not fit {processor.title}",
            notes=[
                f"program memory: at least {code.least_bytes} of {processor.program_bytes} bytes for "
                f"`{code.name}` alone"
            ],
            help="a description with more of its steps in loops has shorter code",
        )


def places(
    function: ir.Function,
    prefix: str,
    objects: dict[str, int],
    *,
    from_key: bool,
    separate: bool = False,
) -> dict[str, str]:
    """Return where a function's parameters and results lie: key, round keys one after the other, block.

    ``from_key``: there are no round keys, operations take the key if there is one. ``separate``: the round
    keys of decryption are others and lie in ``PREFIX_keys_decrypt``.
    """
    found: dict[str, str] = {}
    keys = f"{prefix}_keys"
    _check_arrays(function)
    if separate and function.name in ("decrypt", SEPARATE):
        keys += "_decrypt"
    if function.name.startswith("key_schedule"):
        name, ty = function.params[0]
        found[f"%{name}"] = f"{prefix}_key"
        objects.setdefault(f"{prefix}_key", ty.cells)
        at = 0
        for n, ty in enumerate(function.results):
            found[f"#{n}"] = f"{keys} + {at}"
            at += ty.cells
    else:
        at = 0
        for name, ty in function.params[:-1]:
            if from_key:
                found[f"%{name}"] = f"{prefix}_key"
                objects.setdefault(f"{prefix}_key", ty.cells)
                continue
            found[f"%{name}"] = f"{keys} + {at}"
            at += ty.cells
        name, ty = function.params[-1]
        found[f"%{name}"] = found["#0"] = f"{prefix}_block"
        # A function's output may be longer than its input, which lies at the beginning of where it will be.
        block = f"{prefix}_block"
        objects[block] = max(ty.cells, function.results[0].cells, objects.get(block, 0))
    if not from_key:
        objects[keys] = max(at, objects.get(keys, 0))
    return found


def _check_arrays(function: ir.Function) -> None:
    """Raise DescriptionError (E117) where a parameter or result is a word by itself, which has no address."""
    types = [*(ty for _, ty in function.params), *function.results]
    if not all(ty.is_array for ty in types):
        raise DescriptionError(
            "E117",
            f"`{function.name}` has a round key that is a word by itself",
            help="return round keys as a vector, `vec(a, b)`, or as an array",
        )
