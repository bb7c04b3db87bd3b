"""Every device in one simulator: records with the hash of their Verilog; those of other devices are said."""

from dataclasses import replace
from pathlib import Path

import pytest

from cipherassay.hardware.simulation import verified
from support.command import assay


@pytest.mark.usefixtures("every_vector")
def test_records_are_kept_and_go_stale(
    own_kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    only = verified.Task("twofish", "iterative", "128", "on-the-fly")
    wrong = replace(only, strategy="none")
    assert len(verified.tasks("rounds", ["rc6", "mars"])) == 8
    monkeypatch.setattr(verified, "tasks", lambda strategy, ciphers: [only, wrong])
    done = assay(capsys, "simulate", "--rtl", "--all", "--every", "128", "--keep", "--json")
    assert done.code == 4
    assert "passed: twofish iterative 128 on-the-fly" in done.err
    assert "FAILED: twofish iterative 128 none" in done.err
    assert "error[H512]: 1 of 2 devices fail in own" in done.err
    (record,) = done.json["records"]
    assert record["vectors"]["key changes"] == 30
    assert verified.kept("own") == [record]
    assert list(verified.stale("own")) == []
    place = own_kept / "simulations" / "own.json"
    place.write_text(place.read_text().replace(record["verilog"], "0" * 64))
    ((_, why),) = verified.stale("own")
    assert why == f"its Verilog was 000000000000 and is {record['verilog'][:12]}"
    assert verified.text([record, record]).count("\n") == 3


def test_one_cipher_or_all(capsys: pytest.CaptureFixture[str]) -> None:
    expected = "error[H808]: nothing to simulate\n   = help: name one cipher, or give --all\n"
    for arguments in ((), ("rc6", "--all")):
        done = assay(capsys, "simulate", "--rtl", *arguments)
        assert (done.code, done.err) == (2, expected)


def test_one_device_is_kept_whole(own_kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assay(capsys, "simulate", "--rtl", "rc6", "--every", "128", "--keep")
    (record,) = verified.kept("own")
    assert (record["design"], record["strategy"], record["every"]) == ("rc6_iterative_128", "rounds", 128)
    done = assay(capsys, "simulate", "--rtl", "rc6", "--direction", "encrypt", "--keep")
    assert (done.code, done.err) == (
        2,
        "error[H810]: only whole devices as they are generated are kept\n"
        "   = help: --keep without --direction, --variant and --files\n",
    )
