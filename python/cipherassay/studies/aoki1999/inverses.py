"""Inverses of odd words as C, by each strategy of the language: written, checked, measured."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cipherassay.errors import VerificationError
from cipherassay.lang.odd_inverse import STRATEGIES
from cipherassay.native.harness import FOLDER
from cipherassay.native.loaded import LoadedCipher
from cipherassay.native.measurement import Settings, typical_cycles
from cipherassay.native.session import session
from cipherassay.results import Row
from cipherassay.tools.compiler import build_shared_library, find_compiler

WIDTHS = (8, 16, 32, 64)
RANDOM_WORDS = 20_000
_NOTHING = "copy"
"""The measured function that computes nothing: what calling, loading and storing cost."""

_EUCLID = """\
    {wide} low = x, high = ({wide})1 << {width};
    {wide} a = 1, b = 0;
    while (low) {{
        {wide} quotient = high / low, rest = high % low, next = b - quotient * a;
        high = low, low = rest, b = a, a = next;
    }}
    return ({word})b;"""
_EUCLID_64 = """\
    uint64_t quotient = UINT64_MAX / x, rest = UINT64_MAX % x + 1;
    if (rest == x) quotient++, rest = 0;
    uint64_t high = x, low = rest, b = 1, a = 0 - quotient;
    while (low) {
        quotient = high / low, rest = high % low;
        uint64_t next = b - quotient * a;
        high = low, low = rest, b = a, a = next;
    }
    return b;"""


@dataclass
class _Recorder:
    """A word that writes what is done with it as C; it has the operators that the strategies use."""

    width: int
    name: str
    lines: list[str] = field(default_factory=list)

    def _new(self, expression: str) -> _Recorder:
        name = f"t{len(self.lines)}"
        self.lines.append(f"    const uint{self.width}_t {name} = (uint{self.width}_t)({expression});")
        return _Recorder(self.width, name, self.lines)

    def _binary(self, sign: str, other: Any, *, swapped: bool = False) -> _Recorder:
        # Operands of fewer than 32 bits would become signed numbers.
        sides = [f"({self._wide}){one.name if isinstance(one, _Recorder) else one}" for one in (self, other)]
        return self._new(f" {sign} ".join(reversed(sides) if swapped else sides))

    @property
    def _wide(self) -> str:
        return f"uint{max(32, self.width)}_t"

    def __add__(self, other: Any) -> _Recorder:
        return self._binary("+", other)

    def __sub__(self, other: Any) -> _Recorder:
        return self._binary("-", other)

    def __rsub__(self, other: Any) -> _Recorder:
        return self._binary("-", other, swapped=True)

    def __mul__(self, other: Any) -> _Recorder:
        return self._binary("*", other)

    def __and__(self, other: Any) -> _Recorder:
        return self._binary("&", other)

    def __lshift__(self, amount: int) -> _Recorder:
        return self._binary("<<", amount)

    def __rshift__(self, amount: int) -> _Recorder:
        return self._binary(">>", amount)


def source(strategy: str, width: int) -> str:
    """Return C11: ``uintW_t STRATEGY_W(uintW_t x)``, the inverse of an odd x modulo 2^W."""
    word = f"uint{width}_t"
    head = f"{word} {strategy}_{width}({word} x)"
    if strategy == _NOTHING:
        body = "    return x;"
    elif strategy != "euclid":
        recorded: Callable[[Any], Any] = STRATEGIES[strategy]
        lines: list[str] = []
        result = recorded(_Recorder(width, "x", lines))
        body = "\n".join([*lines, f"    return {result.name};"])
    elif width == 64:
        body = _EUCLID_64
    else:
        body = _EUCLID.format(word=word, wide="uint32_t" if width < 32 else "uint64_t", width=width)
    return f"#include <stdint.h>\n\n{head};\n\n{head}\n{{\n{body}\n}}\n"


def check(strategies: Iterable[str] = tuple(STRATEGIES)) -> None:
    """Compile every strategy in every width and multiply its results back.

    All odd words of 8 and 16 bits, random ones of 32 and 64 bits.

    Raises
    ------
    ToolError
        ``N002`` to ``N004``: there is no compiler, or it fails.
    VerificationError
        ``N071``: a product that is not 1.
    """
    names = [(strategy, width) for strategy in strategies for width in WIDTHS]
    sources = {f"{s}_{w}.c": source(s, w) for s, w in names}
    library = ctypes.CDLL(str(build_shared_library("inverses", sources)))
    random = np.random.default_rng(1)
    for strategy, width in names:
        function = getattr(library, f"{strategy}_{width}")
        kind = getattr(ctypes, f"c_uint{width}")
        function.argtypes, function.restype = (kind,), kind
        most = (1 << width) - 1
        drawn = random.integers(0, most, RANDOM_WORDS, np.uint64, endpoint=True)
        words = range(1, most + 1, 2) if width <= 16 else [int(word) | 1 for word in drawn]
        for word in words:
            if word * function(word) % (1 << width) != 1:
                raise VerificationError(
                    "N071",
                    f"the strategy `{strategy}` does not invert {word:#x} modulo 2^{width}",
                    notes=[f"found {function(word):#x}"],
                )


def measure(
    width: int, *, accept_unstable: bool = False, settings: Settings | None = None, command: str = ""
) -> list[Row]:
    """Measure the strategies in one width, by turns, each result the next word; rows of cycles a word.

    What a function that only returns its word takes in the same loop is subtracted.

    Raises
    ------
    ToolError
        ``N002`` to ``N004``: there is no compiler, or it fails.
    VerificationError
        ``N071``: a strategy is wrong.
    MeasurementError
        ``N020``, ``N021``: the machine is not steady.
    """
    check()
    names = (*STRATEGIES, _NOTHING)
    sources = {f"{name}_{width}.c": source(name, width) for name in names}
    sources["functions.c"] = _functions(names, width)
    sources["assay.h"] = (FOLDER / "assay.h").read_text(encoding="utf-8")
    compiler = find_compiler()
    library = build_shared_library(f"inverses_{width}", sources, flags=compiler.scalar_flags)
    loaded = {name: LoadedCipher(library, f"{name}_cipher") for name in names}
    with session(accept_unstable=accept_unstable) as steady:
        found, unstable = steady.measure(loaded, "encrypt", 128, settings or Settings())
        target = steady.target
    nothing = typical_cycles(found[_NOTHING])
    return [
        Row(
            part=f"inverse modulo 2^{width}",
            strategy=name,
            level="native",
            target=target,
            metric="cycles",
            value=max(0.0, typical_cycles(found[name]) - nothing),
            basis="measured",
            stable=not {name, _NOTHING} & unstable,
            tools=compiler.describe(compiler.scalar_flags),
            command=command or None,
        )
        for name in STRATEGIES
    ]


def _functions(names: Iterable[str], width: int) -> str:
    """Return each strategy as the measuring loop calls it: the first word of a block, made odd.

    The rest of the block is left alone: copying it past the word just stored would stall and hide the time.
    """
    word = f"uint{width}_t"
    lines = ['#include "assay.h"', "#include <string.h>", ""]
    lines += [
        "static int key(void *c, const uint8_t *k, size_t n) { (void)c; (void)k; return n != 128; }",
        "",
    ]
    for name in names:
        lines += [
            f"{word} {name}_{width}({word} x);",
            f"static void {name}_block(const void *c, const uint8_t *in, uint8_t *out)",
            "{",
            f"    {word} x;",
            "    (void)c;",
            "    memcpy(&x, in, sizeof x);",
            f"    x = {name}_{width}(x | 1);",
            "    memcpy(out, &x, sizeof x);",
            "}",
            f"const struct assay_cipher {name}_cipher =",
            f"    {{ 64, 16, key, key, {name}_block, {name}_block, 0 }};",
            "",
        ]
    return "\n".join(lines)
