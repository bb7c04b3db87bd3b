"""Random descriptions compute the same after pack-bytes."""

from __future__ import annotations

import random

import pytest

from support import generated, toy

OPTIONS = ("", "width=64", "layer=words", "width=64,layer=words,tables=rotated")


@pytest.mark.parametrize("seed", range(60))
def test_packed_random_descriptions_compute_the_same(seed: int) -> None:
    program = toy.make(generated.Description(seed).text()).compile(128)
    source = random.Random(seed)
    key, block = source.randbytes(16), source.randbytes(16)
    expected = program.evaluate("encrypt", [*program.evaluate("key_schedule", [key]), block])
    for options in OPTIONS:
        changed = program.passes(["inline-calls", "fold", f"pack-bytes:{options}"])
        assert changed.evaluate("encrypt", [*changed.evaluate("key_schedule", [key]), block]) == expected
