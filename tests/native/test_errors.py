"""Libraries that cannot be built or loaded: in which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay.errors import ToolError
from cipherassay.native import libraries
from cipherassay.native.libraries import Library, load_library
from cipherassay.native.loaded import LoadedCipher
from support.processes import script
from support.refusals import refusal


def test_a_library_without_the_cipher(tmp_path: Path) -> None:
    (tmp_path / "empty.so").write_bytes(b"")
    assert refusal(ToolError, LoadedCipher, tmp_path / "empty.so", "assay_rc6") == (
        f"error[N010]: `empty.so` cannot be used\n   = {tmp_path}/empty.so: file too short"
    )
    text = refusal(ToolError, LoadedCipher, Path("libm.so.6"), "assay_rc6")
    assert text.splitlines()[0] == "error[N010]: `libm.so.6` cannot be used"
    assert text.endswith("undefined symbol: assay_rc6")


def test_an_adapter_without_a_version() -> None:
    text = refusal(ToolError, libraries._version, Path("libm.so.6"))
    assert text.splitlines()[0] == "error[N010]: `libm.so.6` cannot be used"
    assert text.endswith("undefined symbol: assay_version")


def test_crates_that_cargo_does_not_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = script(tmp_path, 'test "$1" = --version && exit 0; echo "no crate" >&2; exit 101')
    tool.rename(tmp_path / "cargo")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path / "cache"))
    library = Library(
        "none", title="Crates", package="cargo", ciphers=("rc6",), header="", source="", cargo="rustcrypto"
    )
    assert refusal(ToolError, load_library, library) == (
        "error[N042]: cargo cannot build Crates\n"
        "   = no crate\n"
        "   = help: it fetches crates: is there a network?"
    )
