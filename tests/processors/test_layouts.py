"""Layouts of tables: what they keep, what they save, how a wrong name is told."""

from __future__ import annotations

import pytest

from cipherassay import processors
from cipherassay.ciphers import load
from cipherassay.errors import UsageError
from cipherassay.processors import checking, distributions, exploring, layouts
from support.command import assay


@pytest.mark.parametrize("layout", layouts.LAYOUTS)
def test_a_kernel_computes_the_same_in_every_layout(layout: str) -> None:
    cipher = load("mars")
    made = exploring.best(cipher, "encrypt", processors.load("ia64pp"))
    found = layouts.laid(made, cipher, layout)
    checking.check(found, cipher)
    assert found.choice.layout == layout
    assert "tables" in str(found.choice) or layout == "contiguous"


def test_joining_by_xor_saves_cycles_of_mars() -> None:
    cipher = load("mars")
    made = exploring.best(cipher, "encrypt", processors.load("ia64pp"))
    contiguous, aligned = (layouts.laid(made, cipher, layout) for layout in ("contiguous", "aligned"))
    assert aligned.cycles < contiguous.cycles
    assert aligned.interface.alignment >= 2048


def test_interleaved_tables_never_conflict() -> None:
    cipher = load("rijndael")
    made = exploring.best(cipher, "encrypt", processors.load("pa8500"))
    sampled = distributions.sample(layouts.laid(made, cipher, "interleaved"), inputs=64)
    assert sampled.distribution.sigma == 0
    assert sampled.cause == ""
    contiguous = distributions.sample(layouts.laid(made, cipher, "contiguous"), inputs=64)
    assert contiguous.distribution.sigma > 0
    assert contiguous.cause == distributions.BANKS


def test_an_unknown_layout_is_refused() -> None:
    cipher = load("rc6")
    made = exploring.best(cipher, "encrypt", processors.load("ia64pp"))
    with pytest.raises(UsageError) as caught:
        layouts.laid(made, cipher, "aligne")
    assert str(caught.value) == (
        "error[M717]: there is no layout `aligne` of tables\n"
        "   = help: did you mean `aligned`? (known: aligned, contiguous, interleaved)"
    )


def test_the_verb_says_what_a_layout_saves(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("measure", "mars", "--operation", "decrypt", "-p", "ia64pp", "--layout", "aligned", "--json")
    (known,) = assay(capsys, *words).json["kernels"]
    saving = known["layout_saving"]
    assert known["layout"] == "aligned"
    assert known["cycles"] == saving["cycles"]
    assert saving["saved"] == saving["contiguous_cycles"] - saving["cycles"] > 0
