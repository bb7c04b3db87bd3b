"""A cipher's program as one assembly file."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True)
class Assembly:
    """Text, functions in it, sizes of the objects in RAM (``NAME_key``, ``NAME_block``, others).

    ``tables`` says how many bytes of tables each function reads.
    """

    text: str
    functions: tuple[str, ...]
    objects: dict[str, int]
    tables: dict[str, int]


@dataclass(frozen=True)
class AssembledCipher:
    """A cipher's program, and its assembly for one key size."""

    cipher: Cipher
    key_bits: int
    variant: str
    unrolled: bool
    program: Program
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


def split_into_bytes(program: Program, *, unrolled: bool) -> Program:
    """Return a program after the passes that make it one of bytes, with loops of one body or none."""
    from cipherassay import strategies

    # The code of a matrix doubles whole bytes: over a smaller field the products are written out before.
    small = any(one.polynomial >> 8 == 0 for one in program.mirror().matrix_list)
    products = ("lower-linear", "fold", "dce") if small else ()
    return strategies.passed(program, (*products, *strategies.load(STRATEGIES[unrolled]).passes))


def assembly(program: Program, prefix: str, head: list[str], processor: Processor) -> Assembly:
    """Return the assembly of a program that ``split-words`` has split into bytes; ``head`` are comments."""
    objects: dict[str, int] = {}
    body: list[str] = []
    used: Tables = {}
    read: dict[str, int] = {}
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
        body += ["", *made.renamed({o: (f"{code.name}_{o}", 0) for o in own}).text()]
        objects |= {f"{code.name}_{o}": size for o, size in own.items()}
        if slots:
            objects[f"{code.name}_spill"] = slots
        used |= code.tables
        read[name] = sum(map(len, code.tables.values()))
    lines = [*(f"; {line}" for line in head), "", f"\t{processor.section}"]
    lines += [*body, "", *processor.data(program, used, prefix, objects)]
    return Assembly("\n".join(lines) + "\n", tuple(names), objects, read)


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
