"""Kernels of small code: loops, pipelined where registers rotate, checked by the simulator."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from cipherassay import _engine, ciphers, processors, strategies
from cipherassay.processors import checking
from cipherassay.processors.exploring import best
from cipherassay.processors.kernel import SMALL, Choice, Kernel
from cipherassay.processors.making import make


def kernel(cipher: str, operation: str, processor: str, strategy: str = "looped") -> Kernel:
    return make(ciphers.load(cipher), operation, processors.load(processor), Choice(strategy), restarts=5)


@pytest.mark.parametrize(
    ("cipher", "operation", "processor", "cycles", "code_bytes"),
    [  # cycles and code bytes of Worley et al. 2000, tables of the ciphers and Appendix A; None: no aim
        ("rc6", "encrypt", "mckinley-paper", 490, 480),
        ("rc6", "decrypt", "mckinley-paper", 490, 528),
        ("mars", "encrypt", "mckinley-paper", 511, None),
        ("mars", "decrypt", "mckinley-paper", 527, None),
        ("mars", "key_setup_encrypt", "mckinley-paper", 1408, None),
        ("twofish", "key_setup_encrypt", "mckinley-paper", 2445, 1600),
        ("rc6", "key_setup_encrypt", "mckinley-paper", 1581, None),
        ("rijndael", "encrypt", "mckinley-paper", None, 3808),
        ("rc6", "encrypt", "ia64pp", None, 480),
    ],
)
def test_pipelined_loops(
    cipher: str, operation: str, processor: str, cycles: int | None, code_bytes: int | None
) -> None:
    found = kernel(cipher, operation, processor)
    assert any(part.interval is not None and part.iterations > 1 for part in found.parts)
    assert checking.check(found, ciphers.load(cipher), inputs=2, answers=1).most <= found.cycles
    assert cycles is None or found.cycles <= cycles
    assert code_bytes is None or 16 * found.assembly["bundles"] <= code_bytes


@pytest.mark.parametrize(
    ("cipher", "operation"), [("mars", "key_setup_encrypt"), ("rijndael", "decrypt"), ("rc6", "decrypt")]
)
def test_waits_between_regions_are_planned(cipher: str, operation: str) -> None:
    found = kernel(cipher, operation, "mckinley")
    checked = checking.check(found, ciphers.load(cipher), inputs=2, answers=1)
    assert found.cycles - 10 <= checked.most <= found.cycles


@pytest.mark.parametrize("processor", ["mckinley-paper", "ia64pp"])
def test_equal_carried_words_start_plain_loops_behind_pipelined_ones(processor: str) -> None:
    found = kernel("rc6", "key_setup_encrypt", processor)
    assert "merge-carried" in strategies.load(found.choice.strategy).passes
    checking.check(found, ciphers.load("rc6"), inputs=4)


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
def test_rounds_that_differ_become_one_under_predicates(operation: str) -> None:
    whole = kernel("mars", operation, "mckinley-paper")
    alternating = kernel("mars", operation, "mckinley-paper", "folded-alternating")
    folded = kernel("mars", operation, "mckinley-paper", "folded")
    assert [part.iterations for part in folded.parts if part.iterations > 1] == [8, 16, 8]
    assert [part.iterations for part in alternating.parts if part.iterations > 1] == [8, 8, 8, 8]
    assert folded.size < alternating.size < whole.size
    assert alternating.cycles <= 511  # cycles of the loop in Worley et al. 2000
    for one in (alternating, folded):
        assert checking.check(one, ciphers.load("mars"), inputs=2, answers=2).most <= one.cycles
        guarded = [line for line in one.text.splitlines() if re.match(r"\s\(p\d+\) (add|sub|xor) (r\d+) = \2,", line)]
        assert guarded


def test_smaller_text_at_the_same_cycles() -> None:
    plain = kernel("rc6", "encrypt", "mckinley-paper")
    choice = replace(plain.choice, compact=100)
    small = make(ciphers.load("rc6"), "encrypt", processors.load("mckinley-paper"), choice, restarts=5)
    assert small.size <= plain.size
    assert small.cycles <= plain.cycles
    checking.check(small, ciphers.load("rc6"), inputs=2, answers=1)


def test_kept_smallest_loop_of_mars() -> None:
    mars, processor = ciphers.load("mars"), processors.load("mckinley-paper")
    found = best(mars, "encrypt", processor, form=SMALL)
    assert found.choice.plain
    assert 16 * found.size <= 784  # bytes of the loop in Worley et al. 2000
    checking.check(found, mars, inputs=2, answers=1)


def test_key_setup_of_rijndael_is_a_loop() -> None:
    found = kernel("rijndael", "key_setup_encrypt", "mckinley-paper")
    assert max(part.iterations for part in found.parts) == 10
    checking.check(found, ciphers.load("rijndael"), inputs=2)


def test_straight_key_setup_of_twofish_keeps_the_loop_over_boxes() -> None:
    found = kernel("twofish", "key_setup_encrypt", "mckinley-paper", "straight")
    assert [part.iterations for part in found.parts] == [1, 256]
    assert found.parts[1].interval == found.parts[1].bound == 6
    checking.check(found, ciphers.load("twofish"), inputs=1)
    assert found.cycles <= 2445


def test_without_rotating_registers_iterations_do_not_overlap() -> None:
    found = kernel("rc6", "encrypt", "pa8500")
    assert [(part.iterations, part.interval) for part in found.parts] == [(1, None), (20, None), (1, None)]
    checking.check(found, ciphers.load("rc6"), inputs=2, answers=1)


@pytest.mark.parametrize("cipher", ["rc6", "mars", "twofish", "rijndael"])
def test_programs_of_loops_compute_the_key_schedule(cipher: str) -> None:
    described = ciphers.load(cipher)
    strategy = strategies.load("looped")
    plain = described.compile(128, form=strategy.form_for(described) or "")
    looped = strategies.program(described, 128, "looped", "", circuits_target="infinite")
    source = random.Random(1)
    for _ in range(3):
        key = source.randbytes(16)
        expected = plain.evaluate("key_schedule", [key])
        found = looped.evaluate("key_schedule", [key])
        assert [_bytes(one) for one in found] == [_bytes(one) for one in expected]


def _bytes(words: int | list[int]) -> bytes:
    """Give words as little-endian bytes, whatever their width: tables of bytes and of words compare equal."""
    assert isinstance(words, list)
    width = 4 if max(words) > 255 else 1
    return b"".join(word.to_bytes(width, "little") for word in words)


def test_ring_addresses_are_plain_in_every_part() -> None:
    program = ciphers.load("rc6").compile(128)
    passes = ["unroll:factor=ring,extent=8", "fold", "split-loops"]
    parts = program.passes(passes)
    text = parts.text()
    assert "[ring" in program.text()
    schedule = text[text.index("@key_schedule") : text.index("@encrypt")]
    assert "[ring %" not in schedule
    assert [line.split("rounds ")[1].split()[0] for line in schedule.splitlines() if "rounds " in line] == [
        "43", "11", "11", "11",
    ]  # fmt: skip
    key = bytes(range(16))
    assert parts.evaluate("key_schedule", [key]) == program.evaluate("key_schedule", [key])


def test_loops_stay_whole_where_they_would_fall_into_many_parts() -> None:
    program = ciphers.load("rijndael").compile(128)
    assert program.passes(["split-loops"]).text() == program.text()
    assert program.passes(["split-loops:most=20"]).text() != program.text()


CARRIED = """
program "p" {
}

func @f(%x: u32[8], %a: u32) -> (u32[8], u32, u32) {
  %y: u32[8] = array
  %y.1: u32[8] = store %y[0], %a
  %y.2: u32[8], %c: u32, %d: u32 = rounds 7 "i" from 0 step 1 (%y.1, %a, 5) {
    body 0..6 (%i: index, %y.3: u32[8], %c.1: u32, %d.1: u32) {
      %1: u32 = load %y.3[%i]
      %2: u32 = load %x[%i]
      %3: u32 = add %1, %2
      %4: u32 = xor %c.1, %d.1
      %5: u32 = add %3, %4
      %y.4: u32[8] = store %y.3[%i + 1], %5
      yield %y.4, %5, %5
    }
  }
  return %y.2, %c, %d
}
"""


def test_what_the_iteration_before_stored_is_handed_on() -> None:
    program = _engine.Program.parse(CARRIED)
    arguments: list[int | list[int] | bytes] = [[3, 1, 4, 1, 5, 9, 2, 6], 7]
    expected = program.evaluate("f", arguments)
    carried = program.passes(["carry-loads"])
    body = carried.text().split("body")[1]
    assert body.count("load") == 1
    assert carried.evaluate("f", arguments) == expected
    merged = program.passes(["merge-carried"])
    assert "return %y.2, %c, %c" in merged.text()
    assert "%d.1" in merged.text()
    assert merged.evaluate("f", arguments) == expected
    both = program.passes(["carry-loads", "fold", "merge-carried", "dce"])
    assert both.evaluate("f", arguments) == expected
