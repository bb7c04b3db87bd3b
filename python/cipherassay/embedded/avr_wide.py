"""AVR: operations on wide words."""

from __future__ import annotations

from collections.abc import Sequence

from cipherassay.embedded.avr import Select
from cipherassay.embedded.code import Byte, Source
from cipherassay.embedded.selection import number_of
from cipherassay.embedded.wide import Wide, byte_products

NUMBERS = 4
"""Bytes of a number that are in registers at once; only twelve registers take numbers, three for pointers."""


def _sum(s: Select, kind: str, a: list[Source], b: list[Source]) -> list[Source]:
    n = len(a)
    if kind == "add" and number_of(a) is not None:
        a, b = b, a
    if (number := number_of(b)) is not None:
        number = (-number if kind == "add" else number) & ((1 << 8 * n) - 1)
        kind, b = "sub", [number >> 8 * k & 255 for k in range(n)]
        low = next((k for k in range(n) if b[k]), n)
        if low:
            return a[:low] + (_sum(s, kind, a[low:], b[low:]) if low < n else [])
        if n > NUMBERS:
            return _less_number(s, a, [number >> 8 * k & 255 for k in range(n)])
    first, rest = ("add", "adc") if kind == "add" else ("sub", "sbc")
    out = [Byte() for _ in a]
    lines = [f"{rest if k else first} {{{k}}}, {{{n + k}}}" for k in range(n)]
    s.emit(lines, tied=list(zip(out, a, strict=True)), ins=list(b))
    return list(out)


def _less_number(s: Select, a: list[Source], number: list[int]) -> list[Source]:
    """Subtract the bytes of a long number, which take turns in one register; `ldi` leaves the carry."""
    n = len(a)
    out = [Byte() for _ in a]
    lines = [f"sub {{0}}, {{{n}}}"]
    for k in range(1, n):
        lines += [f"ldi {{{n}}}, {number[k]}"] if number[k] != number[k - 1] else []
        lines.append(f"sbc {{{k}}}, {{{n}}}")
    lines += [f"ldi {{{n}}}, {number[0]}"] if number[-1] != number[0] else []
    s.emit(lines, tied=list(zip(out, a, strict=True)), ins=[number[0]], upper=frozenset({n}))
    return list(out)


def _product(s: Select, a: list[Source], b: list[Source]) -> list[Source]:
    """The low bytes of a product: schoolbook, columns from the first, a carry runs to the end."""
    n = len(a)
    s.multiplies = True
    total: list[Source | None] = [None] * n
    for x, y, k in byte_products(a, b):
        if y == 1:
            _added(s, total, [], [x], k)
        else:
            _added(s, total, [x, y], ["r0", "r1"][: n - k], k)
    return [0 if t is None else t for t in total]


def _added(
    s: Select, total: list[Source | None], factors: list[Source], terms: Sequence[Source | str], k: int
) -> None:
    """Add one or two bytes (registers of a product, or a value) to a sum from byte ``k`` on."""
    n = len(total)
    if all(t is None for t in total[k : k + len(terms)]):
        if not factors:
            total[k] = terms[0]  # type: ignore[assignment]
            return
        out = [Byte() for _ in terms]
        m = len(out)
        lines = [f"mul {{{m}}}, {{{m + 1}}}"] + [f"mov {{{c}}}, {t}" for c, t in enumerate(terms)]
        s.emit(lines, outs=out, ins=factors, early=False)
        total[k : k + m] = out
        return
    end = max([c for c in range(n) if total[c] is not None], default=-1) + 1
    end = min(n, max(end + 1, k + len(terms)))
    tied = [(Byte(), 0 if total[c] is None else total[c]) for c in range(k, end)]
    count = len(tied)
    ins: list[Source] = list(factors)
    lines = [f"mul {{{count}}}, {{{count + 1}}}"] if factors else []
    for c in range(count):
        if c < len(terms) and isinstance(terms[c], str):
            source = terms[c]
        else:
            ins.append(terms[c] if c < len(terms) else 0)  # type: ignore[arg-type]
            source = f"{{{count + len(ins) - 1}}}"
        lines.append(f"{'adc' if c else 'add'} {{{c}}}, {source}")
    s.emit(lines, tied=tied, ins=ins)
    total[k:end] = [d for d, _ in tied]


def _rotated(s: Select, kind: str, a: list[Source], by: int) -> list[Source]:
    """Whole bytes are renamed; up to two bits go through carry, more by products with a power of two."""
    n = len(a)
    left = (by if kind == "rotl" else -by) % (8 * n)
    bytes_, bits = divmod(left, 8)
    if bits == 7 or (bits == 6 and n == 4):
        bytes_, bits = bytes_ + 1, bits - 8
    a = [a[(k - bytes_) % n] for k in range(n)]
    if bits == 0:
        return a
    if n == 4 and bits in (3, 4, 5):
        return _spread(s, a, 1 << bits)
    out = [Byte() for _ in a]
    if bits > 0:
        chain = ["lsl {0}"] + [f"rol {{{k}}}" for k in range(1, n)] + [f"adc {{0}}, {{{n}}}"]
        s.emit(chain * bits, tied=list(zip(out, a, strict=True)), ins=[0])
    else:
        chain = ["bst {0}, 0", f"lsr {{{n - 1}}}"] + [f"ror {{{k}}}" for k in range(n - 2, -1, -1)]
        s.emit([*chain, f"bld {{{n - 1}}}, 7"] * -bits, tied=list(zip(out, a, strict=True)))
    return list(out)


def _spread(s: Select, a: list[Source], factor: Source) -> list[Source]:
    """Rotate four bytes by less than a byte: products with 2^k hold the bits that stay and that go on."""
    s.multiplies = True
    out = [Byte() for _ in range(4)]
    lines = ["mul {4}, {8}", "mov {0}, r0", "mov {1}, r1", "mul {6}, {8}", "mov {2}, r0", "mov {3}, r1"]
    lines += ["mul {5}, {8}", "or {1}, r0", "or {2}, r1", "mul {7}, {8}", "or {3}, r0", "or {0}, r1"]
    s.emit(lines, outs=out, ins=[*a, factor], early=True)
    return list(out)


def _shifted(s: Select, kind: str, a: list[Source], by: int) -> list[Source]:
    n = len(a)
    bytes_, bits = divmod(by, 8)
    if kind == "shl":
        kept = a[: n - bytes_]
        moved = _bits_left(s, kept, bits)
        return [0] * bytes_ + moved
    return _bits_right(s, a[bytes_:], bits) + [0] * min(bytes_, n)


def _bits_left(s: Select, a: list[Source], bits: int) -> list[Source]:
    if not bits or not a:
        return a
    out = [Byte() for _ in a]
    chain = ["lsl {0}"] + [f"rol {{{k}}}" for k in range(1, len(a))]
    s.emit(chain * bits, tied=list(zip(out, a, strict=True)))
    return list(out)


def _bits_right(s: Select, a: list[Source], bits: int) -> list[Source]:
    if not bits or not a:
        return a
    out = [Byte() for _ in a]
    top = len(a) - 1
    chain = [f"lsr {{{top}}}"] + [f"ror {{{k}}}" for k in range(top - 1, -1, -1)]
    s.emit(chain * bits, tied=list(zip(out, a, strict=True)))
    return list(out)


def _rotated_by(s: Select, kind: str, a: list[Source], amount: Source) -> list[Source]:
    """Rotate four bytes by a byte: 16 and 8 by exchanges, the rest by products with a power of two."""
    if isinstance(amount, int):
        return _rotated(s, kind, a, amount % 32)
    if kind == "rotr":
        amount = s.unary(["neg {0}"], amount)
    exchanged = [Byte() for _ in a]
    lines = ["sbrs {4}, 4", "rjmp 1f"]
    for x, y in ((0, 2), (1, 3)):
        lines += [f"mov {{5}}, {{{x}}}", f"mov {{{x}}}, {{{y}}}", f"mov {{{y}}}, {{5}}"]
    lines += ["1:", "sbrs {4}, 3", "rjmp 2f", "mov {5}, {3}", "mov {3}, {2}", "mov {2}, {1}", "mov {1}, {0}"]
    lines += ["mov {0}, {5}", "2:"]
    s.emit(lines, tied=list(zip(exchanged, a, strict=True)), ins=[amount], temps=1)
    power = Byte()
    lines = ["ldi {0}, 1", "sbrc {1}, 1", "ldi {0}, 4", "sbrc {1}, 0", "lsl {0}", "sbrc {1}, 2", "swap {0}"]
    s.emit(lines, outs=[power], ins=[amount], upper=frozenset({0}), early=True)
    return _spread(s, list(exchanged), power)


WIDE = Wide(_sum, _product, _rotated, _shifted, _rotated_by)
