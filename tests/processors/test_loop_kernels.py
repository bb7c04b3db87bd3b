"""Kernels of small code: loops, pipelined where registers rotate, judged by the simulator."""

from __future__ import annotations

import pytest

from cipherassay import ciphers, processors
from cipherassay.processors import checking
from cipherassay.processors.kernel import Choice, Kernel, make


def kernel(cipher: str, operation: str, processor: str, strategy: str = "looped") -> Kernel:
    return make(ciphers.load(cipher), operation, processors.load(processor), Choice(strategy), restarts=5)


@pytest.mark.parametrize(
    ("cipher", "operation", "processor", "cycles", "code_bytes"),
    [  # clocks and code bytes of Worley et al. 2000, tables of the ciphers and Appendix A; None: no aim
        ("rc6", "encrypt", "mckinley-paper", 490, 480),
        ("rc6", "decrypt", "mckinley-paper", 490, 528),
        ("mars", "encrypt", "mckinley-paper", 511, None),
        ("mars", "decrypt", "mckinley-paper", 527, None),
        ("mars", "key_setup_encrypt", "mckinley-paper", 1408, None),
        ("twofish", "key_setup_encrypt", "mckinley-paper", 2445, 1600),
        ("rijndael", "encrypt", "mckinley-paper", None, 3808),
        ("rc6", "encrypt", "ia64pp", None, 480),
    ],
)
def test_pipelined_loops(
    cipher: str, operation: str, processor: str, cycles: int | None, code_bytes: int | None
) -> None:
    found = kernel(cipher, operation, processor)
    assert any(part.interval is not None and part.trips > 1 for part in found.parts)
    assert checking.check(found, ciphers.load(cipher), inputs=2, answers=1).most <= found.cycles
    assert cycles is None or found.cycles <= cycles
    assert code_bytes is None or 16 * found.assembly["bundles"] <= code_bytes


def test_straight_key_setup_of_twofish_keeps_the_loop_over_boxes() -> None:
    found = kernel("twofish", "key_setup_encrypt", "mckinley-paper", "straight")
    assert [part.trips for part in found.parts] == [1, 256]
    assert found.parts[1].interval == found.parts[1].bound == 6
    checking.check(found, ciphers.load("twofish"), inputs=1)
    assert found.cycles <= 2445


def test_without_rotating_registers_trips_do_not_overlap() -> None:
    found = kernel("rc6", "encrypt", "pa8500")
    assert [(part.trips, part.interval) for part in found.parts] == [(1, None), (20, None), (1, None)]
    checking.check(found, ciphers.load("rc6"), inputs=2, answers=1)
