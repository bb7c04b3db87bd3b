"""Ciphers of other shapes at every level: each gives its known answers there, or is refused with a code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from cipherassay.ciphers import Cipher, load
from cipherassay.embedded import target
from cipherassay.errors import AssayError
from cipherassay.hardware.rtl.build import build
from cipherassay.hardware.simulation import own
from cipherassay.hardware.simulation.events import verdict_of
from cipherassay.hardware.simulation.vectors import vectors
from cipherassay.processors.kernel import Kernel
from cipherassay.vectors import check_file, read_vectors
from cipherassay.vectors.backend import Backend, EvaluatorBackend
from cipherassay.vectors.single_blocks import known_blocks
from support.other_shapes import FILES

EXPECTED = """
              evaluator c         java      ia64      pentium   avr       h8-300    mcs51     iterative pipelined
oneway96      ok        ok        ok*       ok        ok        ok        ok        ok        ok        ok
xtea          ok        ok        ok*       ok        ok        ok        ok        ok        ok        ok
speck         ok        ok        ok        ok        ok        ok        ok        ok        ok        ok
sm4           ok        ok        ok*       ok        ok        ok        ok        ok        ok        ok
aria          ok        ok        ok*       ok*       ok*       ok*       ok*       E113*     ok        ok
present       ok        ok*       ok*       M404      ok        E124*     E124      ok*       ok*       ok*
simon128      ok        ok        ok        ok        ok        ok        ok        ok        ok        ok
threefish256  ok        ok        ok        ok        ok        ok        E124      E113*     ok*       ok
loki97        ok        ok        ok*       ok*       ok        ok*       ok*       ok*       ok        ok
des           ok        ok*       ok*       ok*       ok*       ok        ok*       ok*       ok        ok
ascon         ok        ok        ok        ok        ok        ok        ok        ok        ok        ok
gimli         ok        ok        ok        ok        ok        ok        ok        ok        ok        ok
"""
"""What becomes of each cipher at each level: `ok`, or the code of the refusal; with `*` it takes long."""


def check_answers(cipher: Cipher, backend: Backend) -> None:
    """Check the known answers beside the cipher's file."""
    path = Path(cipher.file).with_suffix(".kat.txt")
    outcome = check_file(
        read_vectors(path, cipher.block_bits // 8), backend,
        key_bits=cipher.key_bits, byte_order=cipher.nist_byte_order,
    )  # fmt: skip
    assert outcome.ok, outcome.summary()


def by_evaluator(cipher: Cipher) -> None:
    check_answers(cipher, EvaluatorBackend(cipher))


def by_c(cipher: Cipher) -> None:
    from cipherassay.native.backend import CBackend
    from cipherassay.native.checking import check_implementation

    backend = CBackend(cipher)
    check_answers(cipher, backend)
    check_implementation(cipher, backend, cipher.key_bits[0])


def by_java(cipher: Cipher) -> None:
    from cipherassay.java.building import check, compiled
    from cipherassay.java.emitting import generate

    made = generate(cipher)
    with TemporaryDirectory() as folder:
        assert check(cipher, made, compiled(cipher, made, Path(folder)))


def by_kernel(cipher: Cipher) -> None:
    from cipherassay import processors
    from cipherassay.processors.checking import check
    from cipherassay.processors.exploring import choices
    from cipherassay.processors.making import make

    processor = processors.load("mckinley-paper")
    kernel = first_made(
        partial(make, cipher, cipher.directions[-1], processor, choice)
        for choice in choices(cipher, cipher.directions[-1], word_bits=processor.word_bits)
    )
    assert check(kernel, cipher, inputs=1, answers=2).answers


def first_made(ways: Iterable[Callable[[], Kernel]]) -> Kernel:
    """Return the first kernel that can be made; raises the last refusal if there is none."""
    refused: AssayError | None = None
    for way in ways:
        try:
            return way()
        except AssayError as error:
            refused = error
    assert refused is not None
    raise refused


def by_pentium(cipher: Cipher) -> None:
    from cipherassay.x86 import model
    from cipherassay.x86.checking import checked, known_answers
    from cipherassay.x86.kernel import applicable, make

    looped = applicable(cipher)[-1]
    kernel = make(cipher, cipher.directions[-1], model.load("pentium-ii"), looped)
    assert known_answers(kernel)
    checked(kernel, 8)


def on(processor: str) -> Callable[[Cipher], None]:
    def by_small(cipher: Cipher) -> None:
        made = target.make(cipher, cipher.key_bits[0], processor=processor)
        assert known_blocks(cipher, cipher.key_bits[0], of_each_set=1)
        assert target.measure(made)

    return by_small


def as_device(architecture: str) -> Callable[[Cipher], None]:
    def by_device(cipher: Cipher) -> None:
        device = build(cipher, architecture)
        tests = vectors(device, 16)
        verdict_of(device, tests, own.simulate(device, tests), "own").demand()

    return by_device


LEVELS: dict[str, Callable[[Cipher], None]] = {
    "evaluator": by_evaluator,
    "c": by_c,
    "java": by_java,
    "ia64": by_kernel,
    "pentium": by_pentium,
    "avr": on("avr"),
    "h8-300": on("h8-300"),
    "mcs51": on("mcs51"),
    "iterative": as_device("iterative"),
    "pipelined": as_device("pipelined"),
}


def outcome_of(cipher: str, level: str) -> str:
    """Return `ok` or the code of a refusal; whatever else is raised passes through."""
    try:
        LEVELS[level](load(FILES[cipher]))
    except AssayError as refused:
        return refused.code
    return "ok"


def cases(*, slow: bool) -> list[tuple[str, str, str]]:
    """Return ciphers, levels and what becomes of them, of those that take long or of the others."""
    heads, *lines = [line.split() for line in EXPECTED.strip().splitlines()]
    assert heads == list(LEVELS)
    assert sorted(line[0] for line in lines) == sorted(FILES)
    return [
        (line[0], level, word.rstrip("*"))
        for line in lines
        for level, word in zip(heads, line[1:], strict=True)
        if word.endswith("*") == slow
    ]


def check(cipher: str, level: str, expected: str) -> None:
    found = outcome_of(cipher, level)
    if found == "T002":
        pytest.skip(f"a tool for {level} is missing: `assay doctor` names it")
    assert found == expected


@pytest.mark.parametrize(("cipher", "level", "expected"), cases(slow=False))
def test_every_shape_at_every_level(cipher: str, level: str, expected: str) -> None:
    check(cipher, level, expected)


@pytest.mark.slow
@pytest.mark.parametrize(("cipher", "level", "expected"), cases(slow=True))
def test_what_takes_long(cipher: str, level: str, expected: str) -> None:
    check(cipher, level, expected)
