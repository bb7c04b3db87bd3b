"""H8/300: operations on wide words."""

from __future__ import annotations

from collections.abc import Sequence

from cipherassay.embedded.code import Byte, Instruction, Source
from cipherassay.embedded.processors.h8_300.select import Select
from cipherassay.embedded.selection import number_of
from cipherassay.embedded.wide import Wide, byte_products


def _sum(s: Select, kind: str, a: list[Source], b: list[Source]) -> list[Source]:
    n = len(a)
    if kind == "add":
        exchanged = [(y, x) if isinstance(x, int) else (x, y) for x, y in zip(a, b, strict=True)]
        a, b = [x for x, _ in exchanged], [y for _, y in exchanged]
    elif (number := number_of(b)) is not None:
        kind, b = "add", [-number >> 8 * k & 255 for k in range(n)]
    if kind == "add" and b[0] == 0:
        return a[:1] + (_sum(s, kind, a[1:], b[1:]) if n > 1 else [])
    first, rest = ("add.b", "addx") if kind == "add" else ("sub.b", "subx")
    out = [Byte() for _ in a]
    parts = []
    for k, (x, y, d) in enumerate(zip(a, b, out, strict=True)):
        number = isinstance(y, int) and (k or kind == "add")
        line = f"{rest if k else first} {f'#{y}' if number else '{1}'},{{0}}"
        parts.append(
            Instruction(
                [line], tied=[(d, x)], ins=[] if number else [y], commutative=not number and kind == "add"
            )
        )
    s.glued(parts)
    return list(out)


def _product(s: Select, a: list[Source], b: list[Source]) -> list[Source]:
    """The low bytes of a product: schoolbook, columns from the first, a carry runs to the end."""
    n = len(a)
    total: list[Source | None] = [None] * n
    for x, y, k in byte_products(a, b):
        if y == 1:
            _added(s, total, [x], k)
        elif isinstance(x, int) and isinstance(y, int):
            _added(s, total, [x * y & 255, x * y >> 8][: n - k], k)
        else:
            high, low = s.product(x, y)
            _added(s, total, [low, high][: n - k], k)
    return [0 if t is None else t for t in total]


def _added(s: Select, total: list[Source | None], terms: Sequence[Source], k: int) -> None:
    """Add one or two bytes to a sum from byte ``k`` on."""
    if all(t is None for t in total[k : k + len(terms)]):
        total[k : k + len(terms)] = terms
        return
    last = max([c for c, t in enumerate(total) if t is not None], default=-1)
    end = min(len(total), max(last + 2, k + len(terms)))
    sum_ = [0 if t is None else t for t in total[k:end]]
    total[k:end] = _sum(s, "add", sum_, [*terms, *[0] * (end - k - len(terms))])


def _left(registers: list[str]) -> list[str]:
    """Return the lines that rotate left by one bit, the least significant byte first."""
    return [f"bld #7,{registers[-1]}", *(f"rotxl.b {r}" for r in registers)]


def _right(registers: list[str]) -> list[str]:
    """Return the lines that rotate right by one bit."""
    return [f"bld #0,{registers[0]}", *(f"rotxr.b {r}" for r in reversed(registers))]


def _chain(s: Select, a: list[Source], first: str, rest: str, *, up: bool) -> list[Source]:
    """Change every byte in place, with the carry from one to the next; ``first`` may read the end's byte."""
    order = list(range(len(a))) if up else list(reversed(range(len(a))))
    out: list[Source] = [0] * len(a)
    parts = [Instruction([first], ins=[a[order[-1]]])] if "{0}" in first and first.startswith("bld") else []
    for n, k in enumerate(order):
        d = Byte()
        line = rest if n or parts else first
        parts.append(Instruction([line], tied=[(d, a[k])]))
        out[k] = d
    s.glued(parts)
    return out


def _rotated(s: Select, kind: str, a: list[Source], by: int) -> list[Source]:
    """Whole bytes are renamed, up to four bits go through carry, to the left or to the right."""
    n = len(a)
    left = (by if kind == "rotl" else -by) % (8 * n)
    bytes_, bits = divmod(left, 8)
    if bits > 4:
        bytes_, bits = bytes_ + 1, bits - 8
    a = [a[(k - bytes_) % n] for k in range(n)]
    if bits == 0:
        return a
    for _ in range(abs(bits)):
        if bits > 0:
            a = _chain(s, a, "bld #7,{0}", "rotxl.b {0}", up=True)
        else:
            a = _chain(s, a, "bld #0,{0}", "rotxr.b {0}", up=False)
    return a


def _shifted(s: Select, kind: str, a: list[Source], by: int) -> list[Source]:
    """Whole bytes are renamed; more than four bits are a byte less some bits the other way."""
    n = len(a)
    bytes_, bits = divmod(by, 8)
    if kind == "shl":
        if bits > 4:
            moved = _bits(s, [0, *a[: n - bytes_]], 8 - bits, left=False)
            return ([0] * bytes_ + moved)[:n]
        return [0] * bytes_ + _bits(s, a[: n - bytes_], bits, left=True)
    if bits > 4:
        moved = _bits(s, [*a[bytes_:], 0], 8 - bits, left=True)[1:]
    else:
        moved = _bits(s, a[bytes_:], bits, left=False)
    return moved + [0] * (n - len(moved))


def _bits(s: Select, a: list[Source], bits: int, *, left: bool) -> list[Source]:
    for _ in range(bits if a else 0):
        if left:
            a = _chain(s, a, "shll.b {0}", "rotxl.b {0}", up=True)
        else:
            a = _chain(s, a, "shlr.b {0}", "rotxr.b {0}", up=False)
    return a


def _rotated_by(s: Select, kind: str, a: list[Source], amount: Source) -> list[Source]:
    """Rotate four bytes by a byte: to the nearest whole byte by exchanges, at most four bits from there.

    With three added to the amount, its bits from the third on are those of whole bytes, the lower ones less
    three the bits to the left or, if negative, to the right.
    """
    if isinstance(amount, int):
        return _rotated(s, kind, a, amount % 32)
    if kind == "rotr":
        amount = s.unary(["neg.b {0}"], amount)
    out = [Byte() for _ in a]
    places = [f"{{{k}}}" for k in range(4)]
    lines = ["mov.b {4},{5}", "add.b #3,{5}", "btst #4,{5}", "beq 1f"]
    for x, y in ((0, 2), (1, 3)):
        lines += [f"mov.b {{{x}}},r6l", f"mov.b {{{y}}},{{{x}}}", f"mov.b r6l,{{{y}}}"]
    lines += ["1:", "btst #3,{5}", "beq 2f", "mov.b {3},r6l", "mov.b {2},{3}", "mov.b {1},{2}"]
    lines += ["mov.b {0},{1}", "mov.b r6l,{0}", "2:", "and.b #7,{5}", "add.b #253,{5}", "beq 5f", "bmi 4f"]
    lines += ["3:", *_left(places), "dec.b {5}", "bne 3b", "bra 5f"]
    lines += ["4:", *_right(places), "inc.b {5}", "bne 4b", "5:"]
    s.emit(lines, tied=list(zip(out, a, strict=True)), ins=[amount], temps=1)
    return list(out)


WIDE = Wide(_sum, _product, _rotated, _shifted, _rotated_by)
