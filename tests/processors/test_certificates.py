"""What is said of a kernel to be proved equals the bound beside it: in rows and in what `assay measure` prints.

Of every other row the class `Row` sees to it: error R004, `tests/results/test_results.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay import processors
from cipherassay.ciphers import load
from cipherassay.processors import checking
from cipherassay.processors.requests import Request
from cipherassay.processors.rows import rows_of
from support.command import assay

NARROW = """\
title = "One operation a cycle"
inherits = "epic"
source = "made up"
confidence = "hypothetical"
"""
KERNELS = {
    ("rijndael", "mckinley-paper"): "proved; ",
    ("mars", "pa8500"): "issued out of order; ",
    ("rijndael", "pa8500"): "issued out of order; ",
    ("rc6", "narrow"): "1 more than the shortest schedule; ",
    ("rc6", "alpha-21164a"): "restarts spent; ",
}
"""Kernels of encryption, with how their certificates begin: of `narrow` the return takes a cycle of its own."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's folder with the file of a processor."""
    found = tmp_path_factory.mktemp("models")
    (found / "narrow.toml").write_text(NARROW)
    return found


def claims(certificate: str) -> bool:
    """Whether a certificate says that nothing is better."""
    return certificate.startswith(("proved", "optimal"))


@pytest.mark.parametrize(("cipher", "processor"), KERNELS)
def test_rows_of_kernels(cipher: str, processor: str, folder: Path) -> None:
    model = processors.load(processor, path=folder)
    request = Request(load(cipher), "encrypt", model)
    kernel = request.kernel()
    found = rows_of(request, kernel, checking.check(kernel, request.cipher))
    (cycles,) = [row for row in found if row.metric == "cycles"]
    certificate = cycles.certificate or ""
    assert certificate.startswith(KERNELS[cipher, processor])
    assert cycles.bound is not None
    assert claims(certificate) == (cycles.value == cycles.bound)


@pytest.mark.parametrize(("cipher", "processor"), KERNELS)
def test_what_the_command_says(
    cipher: str, processor: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("measure", cipher, "--operation", "encrypt", "-p", processor, "--path", str(folder))
    (known,) = assay(capsys, *command, "--json").json["kernels"]
    reached = known["cycles"] == known["bound"]
    assert known["proved"] == reached
    assert claims(known["certificate"]) == reached
    printed = assay(capsys, *command).words
    assert ("proved" in printed) == ("reached" in printed) == reached
    assert f"Bound {known['bound']}: {known['certificate']}" in printed  # over several lines
