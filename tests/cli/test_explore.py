from __future__ import annotations

import socket
from pathlib import Path

import pytest

from cipherassay.explorer import server
from support.command import assay


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "page.js").write_text("")
    monkeypatch.setattr(server, "STATIC", tmp_path)


def test_a_page_that_is_not_built(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "STATIC", tmp_path)
    ran = assay(capsys, "explore", "--no-browser")
    assert (ran.code, ran.err) == (
        5,
        "error[W009]: the explorer's page is not built\n"
        "   = wheels have it; in a checkout the setup builds it with Node.js\n"
        "   = help: bash scripts/explorer/build\n",
    )


def test_a_port_that_is_in_use(capsys: pytest.CaptureFixture[str], page: None) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ran = assay(capsys, "explore", "--no-browser", "--port", str(port))
    assert (ran.code, ran.err) == (
        2,
        f"error[W010]: port {port} cannot be used: Address already in use\n"
        "   = help: give another with --port N, or none for a free one\n",
    )


def test_files_are_checked_before_the_page_opens(
    capsys: pytest.CaptureFixture[str], page: None, tmp_path: Path
) -> None:
    ran = assay(capsys, "explore", "--no-browser", str(tmp_path / "none.py"))
    assert (ran.code, ran.err.splitlines()[0]) == (
        2, f"error[U023]: no cipher file `{tmp_path / 'none.py'}`",
    )  # fmt: skip
    (tmp_path / "long.py").write_text("#" * (256 * 1024 + 1))
    ran = assay(capsys, "explore", "--no-browser", str(tmp_path / "long.py"))
    assert (ran.code, ran.err.splitlines()[0]) == (
        2, "error[W002]: the description has more than 256 KiB",
    )  # fmt: skip
