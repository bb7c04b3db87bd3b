"""What makes a layer of bits count: the program's own operations, run on numbers, do the same.

A block is run twice on the same values of everything that is not linear, once with some columns changed; what
changes in the rows has to be what the layer says. No code of the engine's is used.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cipherassay import ir
from cipherassay._engine import Program
from cipherassay.errors import VerificationError
from cipherassay.linear.bit_layers import BitLayer, Block, Place, blocks, carried

CHANGES = 24
"""Random changes of the columns; a wrong row stays unseen by all of them once in 2^24."""
CELLS = 64
"""Cells of a carried array, at most, that the engine takes apart."""
Key = tuple[str, int | None]


@dataclass(frozen=True)
class Word:
    """A word of `bits` bits: its number, and the bits of it that are the same whatever the block is given."""

    bits: int
    number: int
    fixed: int = 0

    @property
    def full(self) -> int:
        """All ones."""
        return (1 << self.bits) - 1

    @property
    def zeros(self) -> int:
        """The bits that are always zero."""
        return self.fixed & ~self.number


def check(program: Program, layer: BitLayer) -> None:
    """Compare a layer with the operations that it was found in.

    Raises
    ------
    VerificationError
        ``L413``: the block's operations change other rows than the layer says; ``L416``: so of a layer around
        the end of a loop's body.
    """
    if layer.parts:
        _check_joint(program, layer)
        return
    mirrored = program.passes(["inline-calls"]).mirror()
    block = list(blocks(mirrored.functions[layer.function]))[layer.block]
    types = mirrored.functions[layer.function].types()
    held = [place for source in layer.sources for place in source.places]
    chance = random.Random(1)
    before = _Run(mirrored, types, {}).rows(block, layer)
    for _ in range(CHANGES):
        changed = [chance.randrange(2) for _ in held]
        masks: dict[Key, int] = {}
        for (value, element, bit), one in zip(held, changed, strict=True):
            masks[value, element] = masks.get((value, element), 0) | one << bit
        after = _Run(mirrored, types, masks).rows(block, layer)
        for number, row in enumerate(layer.rows):
            if before[number] ^ after[number] != sum(changed[c] for c in row) % 2:
                value, element, bit = layer.places[number]
                raise VerificationError(
                    "L413",
                    f"bit {bit} of `%{value}` is no sum of the columns that the layer `{layer.name}` says",
                    help="this is a defect: please report it",
                )


def _check_joint(program: Program, layer: BitLayer) -> None:
    """Check both parts of a layer around the end of a loop's body, then each row through what is carried."""
    boxes, state = layer.parts
    check(program, boxes)
    check(program, state)
    after = carried(program, layer.function, layer.block)
    made = dict(zip(boxes.places, boxes.rows, strict=True))
    before = [place for source in boxes.sources for place in source.places]
    held = [place for source in layer.sources for place in source.places]
    entered = [place for source in state.sources for place in source.places]
    for row, wanted in zip(layer.rows, state.rows, strict=True):
        found = set[Place]()
        for column in wanted:
            name, element, bit = entered[column]
            for one in made[str(after[name]), element, bit]:
                found ^= {before[one]}
        if found != {held[column] for column in row}:
            raise VerificationError(
                "L416", f"the layer `{layer.name}` does not join what the loop carries on",
                help="this is a defect: please report it",
            )  # fmt: skip


class _Run:
    """One run of a block: what is not linear gives a number drawn for its name, some bits changed."""

    def __init__(self, program: ir.Program, types: dict[str, ir.Type], changed: dict[Key, int]) -> None:
        self.program, self.types, self.changed = program, types, changed
        self.values: dict[str, Word | list[Word] | None] = {}

    def rows(self, block: Block, layer: BitLayer) -> list[int]:
        """Return the bits of the layer's rows."""
        params, ops, _ = block
        for name, type_ in params:
            if type_.is_array:
                cells = range(type_.cells) if type_.cells <= CELLS else ()
                self.values[name] = [self._drawn(name, type_.bits, n) for n in cells] or None
        for op in ops:
            self._operation(op)
        found = []
        for value, element, bit in layer.places:
            word = self._element(value, element) if element is not None else self._word(value)
            found.append(word.number >> bit & 1)
        return found

    def _element(self, name: str, element: int) -> Word:
        held = self.values[name]
        assert isinstance(held, list)
        return held[element]

    def _drawn(self, name: str, bits: int, element: int | None = None) -> Word:
        number = random.Random(f"{name} {element}").getrandbits(bits)
        return Word(bits, number ^ self.changed.get((name, element), 0))

    def _word(self, operand: ir.Operand, bits: int = 64) -> Word:
        if isinstance(operand, int):
            return Word(bits, operand, (1 << bits) - 1)
        if operand not in self.values:
            self.values[operand] = self._drawn(operand, self.types[operand].bits)
        held = self.values[operand]
        assert isinstance(held, Word)
        return held

    def _operation(self, op: ir.Operation) -> None:
        if op.kind in ("load", "store", "array"):
            self._array(op)
            return
        made = self._linear(op) if op.results else None
        for n, (name, type_) in enumerate(op.results):
            if not type_.is_word:
                self.values[name] = None
            elif made is not None:
                self.values[name] = made[n]
            else:
                self.values[name] = self._drawn(name, type_.bits)

    def _linear(self, op: ir.Operation) -> list[Word] | None:
        """Return the results of an operation that is linear over GF(2), None of another."""
        bits = op.results[0].type.bits
        match op.kind:
            case "const":
                return [self._word(op.operands[0], bits)]
            case "xor" | "and" | "or" | "add" | "mul":
                a, b = (self._word(operand, bits) for operand in op.operands)
                return self._binary(op, a, b)
            case "not":
                a = self._word(op.operands[0], bits)
                return [Word(bits, a.number ^ a.full, a.fixed)]
            case "shl" | "shr" | "rotl" | "rotr":
                return self._shift(op, self._word(op.operands[0], bits), self._word(op.operands[1]))
            case "extract":
                a = self._word(op.operands[0])
                full = (1 << bits) - 1
                return [Word(bits, a.number >> op.number & full, a.fixed >> op.number & full)]
            case "concat" | "zext":
                return [self._joined([self._word(operand) for operand in op.operands], bits)]
            case "select":
                c, a, b = (self._word(operand, bits) for operand in op.operands)
                if a.fixed & b.fixed == a.full:
                    chosen = a.number if c.number & 1 else b.number
                    return [Word(bits, chosen, a.full & ~(a.number ^ b.number))]
            case "lookup":
                return self._lookup(op, bits)
            case "linear":
                return self._product(op, bits)
        return None

    def _binary(self, op: ir.Operation, a: Word, b: Word) -> list[Word] | None:
        bits = a.bits
        if op.kind == "xor" or (op.kind == "add" and a.zeros | b.zeros == a.full):
            return [Word(bits, a.number ^ b.number, a.fixed & b.fixed)]
        if op.kind in ("and", "or"):
            known = a.fixed | b.fixed
            number = a.number & b.number if op.kind == "and" else a.number | b.number
            drawn = self._drawn(op.results[0].name, bits).number
            settled = a.fixed & b.fixed
            settled |= a.zeros | b.zeros if op.kind == "and" else (a.fixed & a.number) | (b.fixed & b.number)
            if isinstance(op.operands[0], str) and op.operands[0] == op.operands[1]:
                known, drawn = a.full, 0
            return [Word(bits, number & known | drawn & ~known & a.full, settled)]
        for one, other in ((a, b), (b, a)):
            if op.kind == "mul" and one.zeros | 1 == one.full and other.fixed == other.full:
                return [Word(bits, other.number * (one.number & 1), other.zeros)]
        return None

    def _shift(self, op: ir.Operation, a: Word, amount: Word) -> list[Word] | None:
        if amount.fixed != amount.full:
            return None
        by, bits = amount.number, a.bits
        if op.kind in ("shl", "shr"):
            by = min(by, bits)
            gone = a.full & ~(a.full << by) if op.kind == "shl" else a.full & ~(a.full >> by)
            moved = [n << by if op.kind == "shl" else n >> by for n in (a.number, a.fixed)]
            return [Word(bits, moved[0] & a.full, moved[1] & a.full | gone)]
        by = (by if op.kind == "rotl" else -by) % bits
        return [Word(bits, *((n << by | n >> (bits - by)) & a.full for n in (a.number, a.fixed)))]

    def _joined(self, parts: Sequence[Word], bits: int) -> Word:
        number = fixed = place = 0
        for part in parts:
            number, fixed = number | part.number << place, fixed | part.fixed << place
            place += part.bits
        return Word(bits, number, fixed | ((1 << bits) - 1) & ~((1 << place) - 1))

    def _lookup(self, op: ir.Operation, bits: int) -> list[Word] | None:
        """Return the entry of a table that is affine over GF(2)."""
        address = op.addresses[0]
        if len(address.terms) != 1 or address.terms[0][0] != 1 or address.ring:
            return None
        type_ = self.types[address.terms[0][1]]
        entries = self.program.tables[op.name].entries[address.constant :][: 1 << type_.bits]
        if not type_.bits or len(entries) != 1 << type_.bits:
            return None
        for x in range(len(entries)):
            low = x & -x
            if entries[x] ^ entries[x ^ low] != entries[low] ^ entries[0]:
                return None
        return [Word(bits, entries[self._word(address.terms[0][1]).number])]

    def _product(self, op: ir.Operation, bits: int) -> list[Word]:
        matrix = self.program.matrices[op.name]
        inputs = [self._word(operand, bits).number for operand in op.operands]
        found = []
        for row in matrix.rows:
            total = 0
            for factor, word in zip(row, inputs, strict=True):
                for k in range(factor.bit_length()):
                    total ^= (word << k) * (factor >> k & 1)
            for k in range(total.bit_length() - 1, bits - 1, -1):
                total ^= matrix.polynomial << (k - bits) if total >> k & 1 else 0
            found.append(Word(bits, total))
        return found

    def _array(self, op: ir.Operation) -> None:
        held: Any = None if op.kind == "array" else self.values.get(op.name)
        if op.kind == "array":
            name, type_ = op.results[0]
            given = op.operands or (0,) * type_.cells
            self.values[name] = [self._word(operand, type_.bits) for operand in given]
            return
        first = self._offset(self.types[op.name], op.addresses)
        if op.kind == "store":
            name, type_ = op.results[0]
            words = [self._word(operand, type_.bits) for operand in op.operands]
            known = held is not None and first is not None
            self.values[name] = [*held[:first], *words, *held[first + len(words) :]] if known else None
            return
        for n, (name, type_) in enumerate(op.results):
            known = held is not None and first is not None
            self.values[name] = held[first + n] if known else self._drawn(name, type_.bits)

    def _offset(self, type_: ir.Type, addresses: Sequence[ir.Affine]) -> Any:
        offset = 0
        for n, extent in enumerate(type_.extents):
            at = 0
            if n < len(addresses):
                if addresses[n].terms:
                    return None
                at = addresses[n].constant % extent if addresses[n].ring else addresses[n].constant
            offset = offset * extent + at
        return offset
