"""The verb `verify schedules`."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay import ciphers, processors
from cipherassay.processors import library
from cipherassay.processors.kernel import Choice
from cipherassay.processors.making import make
from support.command import assay


@pytest.fixture
def folder(own_kept: Path) -> Path:
    kernel = make(ciphers.load("rc6"), "encrypt", processors.load("ia64pp"), Choice("straight"), restarts=0)
    return library.keep(kernel, "unrolled").parent


def test_kept_kernels_pass(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    ran = assay(capsys, "verify", "schedules", "--json", "--quiet")
    assert ran.code == 0, ran.err
    (one,) = ran.json
    assert one["kernel"] == "rc6 encrypt 128 unrolled"
    assert one["error"] is None
    assert one["bound"] <= one["cycles"]
    shown = assay(capsys, "verify", "schedules", "--quiet")
    assert shown.out.endswith("1 of 1 kept kernels passed\n")


def test_a_kept_kernel_that_is_wrong(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    file = folder / "ia64pp.json"
    file.write_text(file.read_text().replace('"straight"', '"looped-not"'))
    ran = assay(capsys, "verify", "schedules", "--quiet")
    assert ran.code == 4
    assert ran.err == "error[M733]: 1 kept kernel of 1 did not pass\n"
    (line,) = assay(capsys, "verify", "schedules", "--quiet", "--json").json
    assert line["error"] == "S030: unknown strategy `looped-not`"


def test_the_solver_works_on_what_is_not_proved(
    capsys: pytest.CaptureFixture[str], folder: Path, own_kept: Path
) -> None:
    made = make(
        ciphers.load("twofish"), "decrypt", processors.load("ia64pp"), Choice("height-reduced"), restarts=0
    )
    library.keep(made, "unrolled")
    stored = own_kept / "schedules"
    (stored / "twofish").mkdir(parents=True)
    (stored / "twofish" / "old-0.json").write_text("{}")
    ran = assay(capsys, "verify", "schedules", "--cipher", "twofish", "--prove", "1", "--json", "--quiet")
    assert ran.code == 0, ran.err
    assert not (stored / "twofish" / "old-0.json").exists()
    (one,) = ran.json
    files = [path.stem.rpartition("-")[0] for path in stored.glob("*/*.json")]
    assert files == ["decrypt-128-ia64pp-height-reduced-4e8d87c2"] * one["schedules"]
    assert one["stale"] == []
    assert one["schedules"] or one["proved"]


def test_unknown_processor(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    ran = assay(capsys, "verify", "schedules", "-p", "pentium")
    assert (ran.code, ran.err) == (
        2,
        "error[M716]: no kernel is kept for `pentium`\n   = help: known: ia64pp\n",
    )
