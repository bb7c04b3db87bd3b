"""MCS-51: operations on wide words."""

from __future__ import annotations

from collections.abc import Sequence

from cipherassay.embedded.code import Byte, Instruction, Source
from cipherassay.embedded.processors.mcs51.select import Select
from cipherassay.embedded.selection import number_of
from cipherassay.embedded.wide import Wide, byte_products

POWERS = "powers"
"""The table of 1, 2, 4, … 128."""


def _sum(s: Select, kind: str, a: list[Source], b: list[Source]) -> list[Source]:
    n = len(a)
    if kind == "sub" and (number := number_of(b)) is not None:
        kind, b = "add", [-number >> 8 * k & 255 for k in range(n)]
    if kind == "add":
        pairs = [(y, x) if isinstance(x, int) else (x, y) for x, y in zip(a, b, strict=True)]
        a, b = [x for x, _ in pairs], [y for _, y in pairs]
        if b[0] == 0:
            return a[:1] + (_sum(s, kind, a[1:], b[1:]) if n > 1 else [])
    out = [Byte() for _ in a]
    first, rest = (
        (["add a,{1}"], ["addc a,{1}"]) if kind == "add" else (["clr c", "subb a,{1}"], ["subb a,{1}"])
    )
    parts = [
        Instruction(
            rest if k else first, tied=[(d, x)], ins=[y], commutative=kind == "add" and isinstance(y, Byte)
        )
        for k, (x, y, d) in enumerate(zip(a, b, out, strict=True))
    ]
    s.glued(parts)
    return list(out)


def _product(s: Select, a: list[Source], b: list[Source]) -> list[Source]:
    """The low bytes of a product: schoolbook, a carry runs to the end."""
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


def _chain(s: Select, a: list[Source], op: str, *, up: bool, around: bool) -> list[Source]:
    """Rotate every byte through carry by one bit, from the first or from the last on.

    The carry begins as the bit that the last one shifts out (``around``), or as zero.
    """
    order = list(range(len(a))) if up else list(reversed(range(len(a))))
    parts = [Instruction([f"{op} a"], tied=[(Byte(), a[order[-1]])])] if around else []
    out: list[Source] = [0] * len(a)
    for n, k in enumerate(order):
        d = Byte()
        lines = [f"{op} a"] if n or around else ["clr c", f"{op} a"]
        parts.append(Instruction(lines, tied=[(d, a[k])]))
        out[k] = d
    s.glued(parts)
    return out


def _rotated(s: Select, kind: str, a: list[Source], by: int) -> list[Source]:
    """Whole bytes are renamed, up to two bits go through carry, others are exchanged under a mask."""
    n = len(a)
    left = (by if kind == "rotl" else -by) % (8 * n)
    bytes_, bits = divmod(left, 8)
    if bits > 5:
        bytes_, bits = bytes_ + 1, bits - 8
    a = [a[(k - bytes_) % n] for k in range(n)]
    if 3 <= bits <= 5:
        turned = [s.shifted("rotl", x, bits, 8) for x in a]
        return [_mixed(s, turned[k], turned[(k - 1) % n], (1 << bits) - 1) for k in range(n)]
    for _ in range(abs(bits)):
        a = _chain(s, a, "rlc" if bits > 0 else "rrc", up=bits > 0, around=True)
    return a


def _mixed(s: Select, kept: Source, other: Source, mask: int) -> Source:
    """Return a byte with the bits of a mask from another."""
    if other == 0:
        return s.binary("and", kept, 255 ^ mask)
    return s.binary("xor", s.binary("and", s.binary("xor", kept, other), mask), kept)


def _shifted(s: Select, kind: str, a: list[Source], by: int) -> list[Source]:
    """Whole bytes are renamed; more than five bits are a byte less some bits the other way."""
    n = len(a)
    bytes_, bits = divmod(by, 8)
    if kind == "shl":
        if bits > 5:
            return ([0] * bytes_ + _bits(s, [0, *a[: n - bytes_]], 8 - bits, left=False))[:n]
        return [0] * bytes_ + _bits(s, a[: n - bytes_], bits, left=True)
    if bits > 5:
        moved = _bits(s, [*a[bytes_:], 0], 8 - bits, left=True)[1:]
    else:
        moved = _bits(s, a[bytes_:], bits, left=False)
    return moved + [0] * (n - len(moved))


def _bits(s: Select, a: list[Source], bits: int, *, left: bool) -> list[Source]:
    if bits < 3:
        for _ in range(bits if a else 0):
            a = _chain(s, a, "rlc" if left else "rrc", up=left, around=False)
        return a
    turned = [s.shifted("rotl" if left else "rotr", x, bits, 8) for x in a]
    beside = [0, *turned] if left else [*turned[1:], 0]
    mask = (1 << bits) - 1 if left else 255 ^ 255 >> bits
    return [_mixed(s, x, y, mask) for x, y in zip(turned, beside, strict=False)]


def _rotated_by(s: Select, kind: str, a: list[Source], amount: Source) -> list[Source]:
    """Rotate four bytes by a byte: 16 and 8 by exchanges, the rest by products with a power of two."""
    if isinstance(amount, int):
        return _rotated(s, kind, a, amount % 32)
    if kind == "rotr":
        amount = s.unary(["cpl a", "inc a"], amount)
    s.table(POWERS, [1 << k for k in range(8)])
    power = s.looked_up(f"table_{POWERS}", [s.binary("and", amount, 7)], 8)
    out = [Byte() for _ in a]
    lines = ["mov a,{4}", "jnb acc.4,1f"]
    for x, y in ((0, 2), (1, 3)):
        lines += [f"mov a,{{{x}}}", f"xch a,{{{y}}}", f"mov {{{x}}},a"]
    lines += ["1:", "mov a,{4}", "jnb acc.3,2f", "mov a,{3}", "xch a,{0}", "xch a,{1}", "xch a,{2}"]
    lines += ["mov {3},a", "2:", "mov a,{3}", "mov b,{5}", "mul ab", "mov {6},a", "mov {3},b"]
    for k in (0, 1, 2):
        lines += [f"mov a,{{{k}}}", "mov b,{5}", "mul ab", "orl a,{3}", f"mov {{{k}}},a"]
        lines += ["mov {3},b"] if k < 2 else ["mov a,b", "orl a,{6}", "mov {3},a"]
    s.emit(lines, tied=list(zip(out, a, strict=True)), ins=[amount, power], temps=1)
    return list(out)


WIDE = Wide(_sum, _product, _rotated, _shifted, _rotated_by)
