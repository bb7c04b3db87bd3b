"""What IA-64 operations do, by the names that GNU objdump prints; after the architecture manual, volume 3."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from cipherassay.errors import VerificationError

if TYPE_CHECKING:
    from cipherassay.processors.oracles.ia64_execution import Machine

Action = Callable[["Machine"], None]
MASK = (1 << 64) - 1
WORD = (1 << 32) - 1


def _lanes(value: int, bits: int) -> list[int]:
    return [value >> k & ((1 << bits) - 1) for k in range(0, 64, bits)]


def _join(lanes: list[int], bits: int) -> int:
    return sum((lane & ((1 << bits) - 1)) << k * bits for k, lane in enumerate(lanes))


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (value >> bits - 1 << bits)


def _left(value: int, count: int, bits: int = 64) -> int:
    return value << count & ((1 << bits) - 1) if count < bits else 0


def _right(value: int, count: int, bits: int = 64) -> int:
    return value >> count if count < bits else 0


def _mix(a: int, b: int, bits: int, first: int) -> int:
    left, right = _lanes(a, bits), _lanes(b, bits)
    return _join([half for k in range(first, 64 // bits, 2) for half in (right[k], left[k])], bits)


def _unpack(a: int, b: int, bits: int, high: bool) -> int:
    left, right, half = _lanes(a, bits), _lanes(b, bits), 32 // bits
    first = half if high else 0
    return _join([part for k in range(first, first + half) for part in (right[k], left[k])], bits)


def _each(function: Callable[[int, int], int], bits: int) -> Callable[[int, int], int]:
    def apply(a: int, b: int) -> int:
        return _join([function(x, y) for x, y in zip(_lanes(a, bits), _lanes(b, bits), strict=True)], bits)

    return apply


def _pmpy(first: int) -> Callable[[int, int], int]:
    def apply(a: int, b: int) -> int:
        x, y = _lanes(a, 16), _lanes(b, 16)
        return _join([_signed(x[k], 16) * _signed(y[k], 16) for k in (first, first + 2)], 32)

    return apply


def _deposit(a: int, b: int, position: int, length: int) -> int:
    mask = ((1 << length) - 1) << position & MASK
    return b & ~mask | a << position & mask


def _mux1(a: int, kind: str) -> int:
    x = _lanes(a, 8)
    orders = {
        "@rev": [7, 6, 5, 4, 3, 2, 1, 0],
        "@brcst": [0] * 8,
        "@mix": [0, 4, 2, 6, 1, 5, 3, 7],
        "@shuf": [0, 4, 1, 5, 2, 6, 3, 7],
        "@alt": [0, 2, 4, 6, 1, 3, 5, 7],
    }
    return _join([x[k] for k in orders[kind]], 8)


# Sources are numbers: registers' values and immediates, in the order of the text.
VALUES: dict[str, Callable[..., int]] = {
    "add": lambda a, b, c=0: a + b + c,
    "adds": lambda a, b: a + b,
    "addl": lambda a, b: a + b,
    "sub": lambda a, b, c=0: a - b - c,
    "shladd": lambda a, n, b: (a << n) + b,
    "and": lambda a, b: a & b,
    "andcm": lambda a, b: a & ~b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "mov": lambda a: a,
    "movl": lambda a: a,
    "extr.u": lambda a, p, n: a >> p & ((1 << n) - 1),
    "extr": lambda a, p, n: _signed(a >> p, n),
    "dep.z": lambda a, p, n: (a & ((1 << n) - 1)) << p,
    "dep": _deposit,
    "shrp": lambda a, b, n: (a << 64 | b) >> n,
    "zxt1": lambda a: a & 0xFF,
    "zxt2": lambda a: a & 0xFFFF,
    "zxt4": lambda a: a & WORD,
    "sxt1": lambda a: _signed(a, 8),
    "sxt2": lambda a: _signed(a, 16),
    "sxt4": lambda a: _signed(a, 32),
    "shl": _left,
    "shr.u": _right,
    "shr": lambda a, n: _signed(a, 64) >> min(n, 63),
    "mux1": _mux1,
    "mux2": lambda a, n: _join([_lanes(a, 16)[n >> 2 * k & 3] for k in range(4)], 16),
    "mix1.l": lambda a, b: _mix(a, b, 8, 1),
    "mix1.r": lambda a, b: _mix(a, b, 8, 0),
    "mix2.l": lambda a, b: _mix(a, b, 16, 1),
    "mix2.r": lambda a, b: _mix(a, b, 16, 0),
    "mix4.l": lambda a, b: _mix(a, b, 32, 1),
    "mix4.r": lambda a, b: _mix(a, b, 32, 0),
    "unpack1.l": lambda a, b: _unpack(a, b, 8, False),
    "unpack1.h": lambda a, b: _unpack(a, b, 8, True),
    "unpack2.l": lambda a, b: _unpack(a, b, 16, False),
    "unpack2.h": lambda a, b: _unpack(a, b, 16, True),
    "unpack4.l": lambda a, b: _unpack(a, b, 32, False),
    "unpack4.h": lambda a, b: _unpack(a, b, 32, True),
    "pshl2": lambda a, n: _join([_left(x, n, 16) for x in _lanes(a, 16)], 16),
    "pshl4": lambda a, n: _join([_left(x, n, 32) for x in _lanes(a, 32)], 32),
    "pshr2.u": lambda a, n: _join([_right(x, n, 16) for x in _lanes(a, 16)], 16),
    "pshr4.u": lambda a, n: _join([_right(x, n, 32) for x in _lanes(a, 32)], 32),
    "padd1": _each(lambda x, y: x + y, 8),
    "padd2": _each(lambda x, y: x + y, 16),
    "padd4": _each(lambda x, y: x + y, 32),
    "psub1": _each(lambda x, y: x - y, 8),
    "psub2": _each(lambda x, y: x - y, 16),
    "psub4": _each(lambda x, y: x - y, 32),
    "pmpy2.r": _pmpy(0),
    "pmpy2.l": _pmpy(1),
    "pmpyshr2.u": lambda a, b, n: _each(lambda x, y: x * y >> n, 16)(a, b),
    "popcnt": lambda a: bin(a).count("1"),
    "setf.sig": lambda a: a,
    "getf.sig": lambda a: a,
    "xma.l": lambda a, b, c: a * b + c,
    "xmpy.l": lambda a, b: a * b,
}

CONDITIONS: dict[str, Callable[[int, int], bool]] = {
    "cmp.eq": lambda a, b: a & MASK == b & MASK,
    "cmp.ne": lambda a, b: a & MASK != b & MASK,
    "cmp.ltu": lambda a, b: a & MASK < b & MASK,
    "cmp.leu": lambda a, b: a & MASK <= b & MASK,
    "cmp.gtu": lambda a, b: a & MASK > b & MASK,
    "cmp.geu": lambda a, b: a & MASK >= b & MASK,
    "cmp.lt": lambda a, b: _signed(a, 64) < _signed(b, 64),
    "cmp4.eq": lambda a, b: a & WORD == b & WORD,
    "cmp4.ne": lambda a, b: a & WORD != b & WORD,
    "cmp4.ltu": lambda a, b: a & WORD < b & WORD,
    "cmp4.leu": lambda a, b: a & WORD <= b & WORD,
    "cmp4.lt": lambda a, b: _signed(a, 32) < _signed(b, 32),
    "tbit.nz": lambda a, n: bool(a >> n & 1),
    "tbit.z": lambda a, n: not a >> n & 1,
}

_WAYS = re.compile(r"\.(sptk|spnt|dptk|dpnt|few|many|clr)")


def compile_operation(text: str, after: int) -> Action:
    """Return what an operation of the disassembly does; an unknown one raises only when it is executed.

    Parameters
    ----------
    text : str
        ``extr.u r14=r15,8,8``, without its predicate and stop.
    after : int
        Address of the next bundle, where a call returns to.
    """
    name, _, rest = text.partition(" ")
    rest = re.sub(r"<[^>]*>", "", rest).replace(" ", "")
    left, equals, right = rest.partition("=")
    targets = left.split(",") if equals else []
    sources = [part for part in (right if equals else left).split(",") if part]
    plain = _WAYS.sub("", name)
    for maker in (_control, _memory, _special, _compare, _value):
        action = maker(plain, targets, sources, after)
        if action:
            return action

    def unknown(_: Machine) -> None:
        raise VerificationError("M610", f"`{text}` is not known to the execution of disassemblies")

    return unknown


def _source(text: str) -> Callable[[Machine], int]:
    if re.fullmatch(r"r\d+", text):
        register = int(text[1:])
        return lambda m: m.read(register)
    if re.fullmatch(r"f\d+", text):
        floating = int(text[1:])
        return lambda m: m.read_floating(floating)
    number = int(text, 0)
    return lambda _: number


def _value(name: str, targets: list[str], sources: list[str], _: int) -> Action | None:
    function = VALUES.get(name)
    if function is None or len(targets) != 1 or not re.fullmatch(r"[rf]\d+", targets[0]):
        return None
    kind, register = targets[0][0], int(targets[0][1:])
    if name == "mux1":
        read = _source(sources[0])
        return lambda m: m.write(register, function(read(m), sources[1]))
    reads = [_source(source) for source in sources]
    if kind == "f":
        return lambda m: m.write_floating(register, function(*(read(m) for read in reads)))
    return lambda m: m.write(register, function(*(read(m) for read in reads)))


def _compare(name: str, targets: list[str], sources: list[str], _: int) -> Action | None:
    plain = name.removesuffix(".unc")
    function = CONDITIONS.get(plain)
    if function is None:
        return None
    first, second = (int(target[1:]) for target in targets)
    a, b = (_source(source) for source in sources)

    def act(m: Machine) -> None:
        holds = function(a(m), b(m))
        m.set_predicate(first, holds)
        m.set_predicate(second, not holds)

    return act


def _memory(name: str, targets: list[str], sources: list[str], _: int) -> Action | None:
    match = re.fullmatch(r"(ld|st)(f?)([1248])", name)
    if not match:
        return None
    store, floating, size = match[1] == "st", bool(match[2]), int(match[3])
    place = next(part for part in (targets if store else sources) if part.startswith("["))
    pointer = int(place.strip("[]")[1:])
    data = int((sources if store else targets)[0][1:])
    step = _source(sources[1]) if len(sources) > 1 else None

    def act(m: Machine) -> None:
        address = m.read(pointer)
        if store:
            value = m.read_floating(data) if floating else m.read(data)
            m.memory.write(address, size, value)
        elif floating:
            m.write_floating(data, m.memory.read(address, size))
        else:
            m.write(data, m.memory.read(address, size))
        if step:
            m.write(pointer, address + step(m))

    return act


def _control(name: str, targets: list[str], sources: list[str], after: int) -> Action | None:
    if name.startswith("nop"):
        return lambda _: None
    if name == "break.m":
        return lambda m: m.system_call()
    if name == "br.call":
        return lambda m: m.call(int(sources[0], 16), targets[0], after)
    if name == "br.ret":
        return lambda m: m.back(sources[0])
    if name in ("br.cond", "br"):
        return lambda m: setattr(m, "target", int(sources[0], 16))
    if name == "br.cloop":
        return lambda m: _counted(m, int(sources[0], 16))
    if name == "br.ctop":
        return lambda m: _rotating(m, int(sources[0], 16))
    if name in ("clrrrb", "clrrrb.pr"):
        return lambda m: _clear(m, name == "clrrrb")
    return None


def _counted(m: Machine, target: int) -> None:
    if m.application["ar.lc"]:
        m.application["ar.lc"] -= 1
        m.target = target


def _rotating(m: Machine, target: int) -> None:
    m.commit()
    counters = m.application
    more = counters["ar.lc"] != 0
    if not more and counters["ar.ec"] == 0:
        m.predicates[16 + (63 - 16 + m.frame.turned_predicates) % 48] = False
        return
    last = not more and counters["ar.ec"] == 1
    counters["ar.lc" if more else "ar.ec"] -= 1
    m.predicates[16 + (63 - 16 + m.frame.turned_predicates) % 48] = more
    m.rotate()
    if not last:
        m.target = target


def _clear(m: Machine, registers: bool) -> None:
    m.commit()
    m.frame.turned_predicates = 0
    if registers:
        m.frame.turned = m.frame.turned_floating = 0


def _special(name: str, targets: list[str], sources: list[str], _: int) -> Action | None:
    if name == "alloc":
        size, local, rotating = (int(part) for part in sources[1:4])
        return lambda m: _alloc(m, int(targets[0][1:]), size, local, rotating)
    if name in ("mov", "mov.i", "mov.m") and targets and targets[0].startswith("ar."):
        value = _source(sources[0])
        return lambda m: m.application.__setitem__(targets[0], value(m))
    if name == "mov" and targets == ["pr.rot"]:
        pattern = int(sources[0], 0)
        return lambda m: _set_rotating(m, pattern)
    return None


def _set_rotating(m: Machine, pattern: int) -> None:
    for k in range(16, 64):
        m.set_predicate(k, bool(pattern >> k & 1))


def _alloc(m: Machine, target: int, size: int, local: int, rotating: int) -> None:
    if rotating != m.frame.rotating and (m.frame.turned or m.frame.turned_predicates):
        raise VerificationError("M605", "alloc changes the rotating registers after they have turned")
    m.frame.size, m.frame.local, m.frame.rotating = size, local, rotating
    m.write(target, 0)
