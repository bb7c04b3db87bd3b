"""A processor that has more, or takes less time for it, gets no slower kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import pytest

from cipherassay import processors
from cipherassay.ciphers import load
from cipherassay.processors import exploring, making
from cipherassay.processors.kernel import Choice

WORDS = Choice("fewest-operations", "two-alu")
Model = tuple[str, tuple[tuple[str, str], ...]]


def _family(name: str, parameter: str, values: Sequence[object], **fixed: object) -> list[Model]:
    given = tuple((key, str(value)) for key, value in fixed.items())
    return [(name, (*given, (parameter, str(value)))) for value in values]


EPIC = {"width": 8, "memory_ports": 1}
"""8G_1M of Fiskiran and Lee: eight instructions a cycle, one of them a memory access."""
FAMILIES: Mapping[str, list[Model]] = {
    "Zbb": [("sifive-e31", ()), ("sifive-e31-zbb", ())],
    "multiplier": _family("sifive-e31", "multiplier_held", (5, 4, 1)),
    "rotations": _family("epic", "rotate", ("absent", "present"), **EPIC),
    "addressing": _family(
        "epic", "addressing", ("indexed", "scaled-indexed", "scaled-indexed-extract"), **EPIC
    ),
    "width": _family("epic", "width", (1, 2, 4, 8), memory_ports=1),
    "ports": _family("epic", "memory_ports", (1, 2, 4), width=8),
    "long products": _family("cortex-m3", "long_products", (5, 4, 3)),
    "Cortex-M4": [("cortex-m3", ()), ("cortex-m4", ())],
}
"""Each model has everything that those before it have."""
CIPHERS = ("rc6", "rijndael", "mars")
SPILLS = {"rijndael": Choice("fewest-operations", "two-alu", spill=True, order="program", window=16),
          "mars": Choice("fewest-operations", "two-alu", spill=True, order="scheduled", window=16)}  # fmt: skip
"""How values leave the registers of a Cortex-M3, on all of its family."""
RESTARTS = 50
"""A list schedule alone may be longer where a unit is free earlier."""


@cache
def _cycles(model: Model, cipher: str) -> int:
    name, settings = model
    choice = SPILLS.get(cipher, WORDS) if name.startswith("cortex") else WORDS
    processor = processors.load(name, parameters=dict(settings))
    return making.make(load(cipher), "encrypt", processor, choice, restarts=RESTARTS).cycles


@pytest.mark.parametrize("cipher", CIPHERS)
@pytest.mark.parametrize("family", FAMILIES)
def test_more_is_never_slower(family: str, cipher: str) -> None:
    cycles = [_cycles(model, cipher) for model in FAMILIES[family]]
    assert cycles == sorted(cycles, reverse=True)


@pytest.mark.slow
@pytest.mark.parametrize("cipher", ["rc6", "rijndael", "mars", "twofish", "serpent"])
def test_the_best_kernel_may_leave_a_feature_out(cipher: str) -> None:
    """With `load-extract-scale` selection by itself finds longer code of Mars and Twofish."""
    values = ("indexed", "scaled-indexed", "scaled-indexed-extract", "load-extract-scale")
    models = [
        processors.load("epic", parameters=dict(m[1])) for m in _family("epic", "addressing", values, **EPIC)
    ]
    found = [exploring.best(load(cipher), "encrypt", one, strategy="fewest-operations") for one in models]
    assert [one.cycles for one in found] == sorted((one.cycles for one in found), reverse=True)
