"""Figures 1 to 4 of the NTT paper, drawn from E2's program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.report.drawings import outlines
from cipherassay.report.elements.gallery import Gallery, Picture

if TYPE_CHECKING:
    from cipherassay import ir
    from cipherassay.hardware.rtl.bodies import Body, Operation
    from cipherassay.lang.cipher import Cipher

BYTES = 8
"""Bytes of a half of the block, of a word of the key schedule."""
_APART, _HIGH = 44.0, 110.0


def figures(cipher: Cipher) -> list[Gallery]:
    """Return the paper's four figures, a gallery each."""
    from cipherassay.hardware.emission.structures import STYLE

    program = cipher.compile().mirror()
    source = outlines.expressions(program, Path(cipher.file))
    whole = outlines.outline(
        outlines.function(program, "encrypt"), source, title="encrypt", results=("ciphertext",)
    )
    turn = outlines.outline(outlines.loop(program, "encrypt", "r"), source, title="round")
    keys = outlines.outline(outlines.loop(program, "key_schedule", "i"), source, title="G")
    first = [
        _graph("ntt-figure-1-whole", "Encryption", "what the cipher's file calls", whole),
        _graph("ntt-figure-1-round", "One round", "as it stands in the loop of 12", turn),
    ]
    f = _graph("ntt-figure-2", "F-function", "P of few XORs, found", _f_function(cipher))
    crossings = [
        _permutation("ntt-figure-3-bp", "BP-function", cipher, "BP"),
        _permutation("ntt-figure-3-bp-inverse", "BP⁻¹-function", cipher, "BP_inv"),
    ]
    last = _graph("ntt-figure-4", "G-function", "with what an iteration of the key schedule stores", keys)
    numbered = [first, [f], crossings, [last]]
    return [Gallery(f"ntt-figure-{n}", pictures, STYLE) for n, pictures in enumerate(numbered, 1)]


def _graph(name: str, title: str, note: str, body: Body) -> Picture:
    from cipherassay.hardware.emission.structures import data_flow

    return Picture(name, title, note, data_flow(body, alone=False, title=title), data_flow(body, title=title))


def _f_function(cipher: Cipher) -> Body:
    """Return the F-function with a node for each byte's operation; P of few exclusive ors."""
    from cipherassay import strategies
    from cipherassay.hardware.rtl.bodies import Body

    compiled = cipher.compile()
    program = compiled.passes(["linear-circuits"], strategies.circuits()).mirror()
    lines = _inlined(program, "F")
    scope = outlines.function(program, "F")
    data, keys = scope.inputs[:BYTES], scope.inputs[BYTES:]
    names = {name: f"x{n + 1}" for n, name in enumerate(data)}
    keyed = {name: f"k{n + 1}" for n, name in enumerate(keys)}
    made = [_named(one, names, keyed) for one in lines]
    outputs = tuple(names.get(name, name) for name in scope.results)
    return Body("F", "", 1, 1, tuple(names.values()), outputs, made, tuple(f"y{n + 1}" for n in range(BYTES)))


def _named(one: Operation, names: dict[str, str], keyed: dict[str, str]) -> Operation:
    """Return an operation with bytes of the block by their names; bytes of the key stand in its box."""
    from cipherassay.hardware.rtl.bodies import SIGNS

    read = tuple(names.get(name, name) for name in one.operands if name not in keyed)
    within = [keyed[name] for name in one.operands if name in keyed]
    label = " ".join([SIGNS.get(one.name, one.name), *within]) if within else one.label
    return replace(one, operands=read, label=label)


def _inlined(program: ir.Program, name: str) -> list[Operation]:
    """Return the operations of a function, those of the functions that it calls in place of the calls."""
    made: list[Operation] = []
    known: dict[str, str] = {}
    for line in outlines.function(program, name).lines:
        one = line.does
        one = replace(one, operands=tuple(known.get(o, o) for o in one.operands))
        if one.name != "call":
            made.append(one)
            continue
        called = outlines.function(program, one.label)
        inner = dict(zip(called.inputs, one.operands, strict=True))
        for inside in called.lines:
            results = tuple(f"{one.results[0]}.{result}" for result in inside.does.results)
            operands = tuple(inner.get(o, o) for o in inside.does.operands)
            inner |= dict(zip(inside.does.results, results, strict=True))
            made.append(replace(inside.does, results=results, operands=operands))
        known |= {r: inner[o] for r, o in zip(one.results, called.results, strict=True)}
    return made


def _permutation(name: str, title: str, cipher: Cipher, function: str) -> Picture:
    """Return a byte permutation of the cipher's file as lines from its inputs to its outputs."""
    order = permutation(cipher, function)
    return Picture(name, title, "", _lines(title, order, alone=False), _lines(title, order, alone=True))


def permutation(cipher: Cipher, function: str) -> list[int]:
    """Return which input byte each output byte of a function of the cipher's file is.

    Raises
    ------
    KeyError
        The file has no such function.
    """
    from cipherassay.lang import u8, vec

    author = cipher.author_function("encrypt")
    written = author.__globals__[function] if author else None
    if written is None:
        raise KeyError(function)
    return [int(byte) for byte in written(vec(u8, *range(2 * BYTES)))]


def _lines(title: str, order: Sequence[int], *, alone: bool) -> str:
    from cipherassay.hardware.emission.structures import svg

    at = [24 + _APART * n for n in range(len(order))]
    drawn = []
    for place, source in enumerate(order):
        a, b = at[source], at[place]
        middle = 26 + (_HIGH - 52) / 2
        curve = f"M{a:.0f} 24C{a:.0f} {middle:.0f} {b:.0f} {middle:.0f} {b:.0f} {_HIGH - 24:.0f}"
        drawn.append(f'<path class="w" d="{curve}"/>')
    for n, x in enumerate(at):
        drawn.append(f'<text class="e" x="{x:.0f}" y="13">{n:X}</text>')
        drawn.append(f'<text class="e" x="{x:.0f}" y="{_HIGH - 11:.0f}">{order[n]:X}</text>')
    return svg(drawn, at[-1] + 24, _HIGH, alone=alone, title=title)
