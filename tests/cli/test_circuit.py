"""`assay circuit`: a box of one's own in, code out; wrong input refused in words; documents as JSON."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cipherassay.circuits import boxes, emitting, library, targets
from support import emitted_folders
from support.command import assay
from support.golden import golden

CHI = "circuit chi: 3 -> 3\ntable 0 3 6 1 5 4 2 7\nt0 = ~x1 & x2\nt1 = ~x2 & x0\nt2 = x1 & ~x0\n"
CHI += "y0 = x0 ^ t0\ny1 = x1 ^ t1\ny2 = x2 ^ t2\n"
VALUES = "0 3 6 1 5 4 2 7\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chi.txt").write_text(CHI)
    (tmp_path / "own.txt").write_text(VALUES)
    return tmp_path


@pytest.mark.golden
def test_analysing_a_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "circuit", "analyse", "chi.txt", "--target", "and-complement", "--target", "two-alu")
    assert (ran.code, ran.err) == (0, "")
    golden("circuits/analyse.txt", "\n".join(line.rstrip() for line in ran.out.splitlines()) + "\n")


def test_analysing_as_json_and_as_a_picture(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "circuit", "analyse", "chi.txt", "--box", "own.txt", "--picture", "chi.svg", "--json")
    (one,) = ran.json["circuits"]
    assert (one["name"], one["box"]) == ("chi", "own")
    assert one["metrics"]["two-input"]["gates"] == 6
    assert one["metrics"]["and-complement"]["and_count"] == 3
    assert (here / "chi.svg").read_text().startswith("<svg")


def test_analysing_circuits_of_cells(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Cells are known from the head, or from the target asked for; other targets get the same functions."""
    every = assay(capsys, "circuit", "analyse", "serpent.S0", "--json").json["circuits"]
    (cells,) = [one for one in every if "nor2_1" in " ".join(one["equations"])]
    assert cells["name"] == "serpent.S0 for cells:sky130"
    assert set(cells["metrics"]) == set(targets.names())
    (here / "cell.txt").write_text("circuit c: 3 -> 1\ny0 = sky130_fd_sc_hd__o21ai_1(x0, x1, x2)\n")
    (one,) = assay(
        capsys, "circuit", "analyse", "cell.txt", "--target", "cells:sky130", "--target", "ternary", "--json"
    ).json["circuits"]
    assert one["metrics"]["cells:sky130"]["gates"] == one["metrics"]["ternary"]["gates"] == 1
    ran = assay(capsys, "circuit", "analyse", "cell.txt", "--target", "two-input")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("error[C006]: there is no operation `sky130_fd_sc_hd__o21ai_1`\n")


def test_a_circuit_that_does_not_match(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "chi.txt").write_text(CHI.replace("x2 ^ t2", "x2 | t2"))
    ran = assay(capsys, "circuit", "analyse", "chi.txt", "--box", "own.txt")
    assert (ran.code, ran.out) == (4, "")
    assert ran.err == (
        "error[C104]: the circuit does not compute the box\n"
        "   = first differing input: 6; circuit: 6; box: 2\n"
        "   = circuit chi of chi.txt\n"
    ) or ran.err.startswith("error[C104]: the circuit does not compute the box\n   = first differing input: ")


def test_an_undefined_name(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "chi.txt").write_text(CHI.replace("x2 ^ t2", "x2 ^ t7"))
    ran = assay(capsys, "circuit", "analyse", "chi.txt")
    assert (ran.code, ran.out) == (3, "")
    assert "`t7`" in ran.err
    assert "  --> chi.txt:8\n      y2 = x2 ^ t7\n" in ran.err


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (("search", "own.txt", "--target", "two-imput"), 2, "error[C203]: unknown target `two-imput`\n"),
        (("search", "own.txt", "--objective", "gate"), 2, "error[C202]: `gate` is no metric of a circuit\n"),
        (("search", "serpent.S9"), 2, "error[C120]: unknown S-box `serpent.S9`\n"),
        (("search", "own.txt", "--emit", "pascal"), 2, "error[C401]: circuits are not written in `pascal`\n"),
        (("search", "own.txt", "--keep"), 2, "error[C506]: the library keeps only boxes that have a name\n"),
        (("emit", "own.txt"), 2, "error[C506]: the library keeps only boxes that have a name\n"),
        (("emit", "chi.txt", "--option", "wrd=32"), 2, "error[C405]: there is no option `wrd=32` here\n"),
        (("list", "box"), 2, "error[U015]: there is no list of `box`\n"),
        (("list", "--family", "serpnt"), 2, "error[C127]: there are no S-boxes of `serpnt`\n"),
        (("search", "serpnt", "gift"), 2, "error[C120]: unknown S-box `serpnt`\n"),
        (("analyse", "skinny.S5"), 2, "error[C120]: unknown S-box `skinny.S5`\n"),
    ],
)
def test_wrong_calls(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], code: int, error: str
) -> None:
    ran = assay(capsys, "circuit", *arguments)
    assert (ran.code, ran.out) == (code, "")
    assert ran.err.startswith(error)


def test_own_box_in_code_out(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(
        capsys, "circuit", "search", "own.txt", "--seconds", "8", "--emit", "c,verilog", "--folder", "out",
        "-o", "found.txt", "--json",
    )  # fmt: skip
    assert ran.code == 0
    document = ran.json
    assert document["metrics"]["gates"] == 6
    assert document["proof"]
    assert {row["metric"] for row in document["rows"]} == {"gates", "depth"}
    assert document["rows"][0]["bound"] is not None
    folder = ["out/README.md", "out/own.c", "out/own.v", "out/own_test.c"]
    assert sorted(document["files"]) == ["found.txt", *folder]
    made_by = "`assay circuit search own.txt --target two-input --seed 1 --emit c,verilog`"
    assert made_by in (here / folder[0]).read_text()
    emitted_folders.run(here / "out")
    written = (here / "out" / "own.c").read_text()
    assert emitting.check(written, "c", boxes.find("own.txt")).inputs == 8
    again = assay(capsys, "circuit", "analyse", "found.txt", "--box", "own.txt", "--json").json
    assert again["circuits"][0]["metrics"]["two-input"]["gates"] == 6


def test_lists(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = assay(capsys, "circuit", "list", "targets", "--json").json["targets"]
    assert [entry["name"] for entry in listed] == targets.names()
    listed = assay(capsys, "circuit", "list", "boxes", "--json").json["boxes"]
    assert {entry["name"] for entry in listed} == set(boxes.every_name())
    assert {"c", "verilog", "vhdl"} <= {
        entry["name"] for entry in assay(capsys, "circuit", "list", "languages", "--json").json["languages"]
    }
    assert {entry["name"] for entry in assay(capsys, "circuit", "list", "engines", "--json").json["engines"]}
    stored = list(library.stored("serpent"))
    rows = assay(capsys, "circuit", "list", "--family", "serpent", "--json").json["rows"]
    assert len({(row["variant"], row["target"], row["configuration"]) for row in rows}) == len(stored)


def test_verify_says_what_is_wrong(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = here / "library"
    text = CHI.replace("circuit chi", "circuit twofish.q0.t0")
    (folder / "twofish").mkdir(parents=True)
    (folder / "twofish" / "q0.t0.two-input.gates.txt").write_text(
        text.replace("t0 =", "target two-input\nobjective gates\nt0 =", 1)
    )
    ran = assay(capsys, "verify", "circuits", "--folder", str(folder))
    assert (ran.code, ran.out) == (4, "")
    assert ran.err == (
        "error[C502]: 1 of 1 stored circuits is not as stated\n"
        "   = twofish/q0.t0.two-input.gates.txt: its table is not that of the box\n"
        "   = help: search the circuit again, or take the file away\n"
    )


def test_a_sweep_in_processes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "two.txt").write_text("1 5 3 2 6 0 4 7\n")
    ran = assay(capsys, "circuit", "search", "own.txt", "two.txt", "--seconds", "8", "--jobs", "2", "--json")
    assert ran.code == 0
    assert ran.json["failed"] == []
    assert {row["variant"] for row in ran.json["rows"]} == {"own", "two"}


@pytest.mark.slow
def test_a_sweep_on_a_cluster(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed", reason="Dask is not here: sweeps on a cluster are not tried")
    ran = assay(capsys, "circuit", "search", "own.txt", "--seconds", "8", "--executor", "dask://local", "--json")
    assert ran.code == 0
    assert [row["metric"] for row in ran.json["rows"]] == ["gates", "depth"]


def test_without_dask(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    ran = assay(capsys, "circuit", "search", "own.txt", "--executor", "dask://nowhere:8786")
    assert ran.code == 5
    assert ran.err == (
        "error[T002]: the Python package `distributed` is not installed\n"
        "   = what it is for: searches and sweeps on several machines (`--executor`)\n"
        "   = without it: they run on the cores of this machine\n"
        "   = help: pip install 'cipherassay[cluster]'\n"
    )


def test_ctrl_c_writes_what_was_found(here: Path) -> None:
    # A background job of a shell inherits that Ctrl-C is ignored, and so would this command under such a one.
    command = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    command += "from cipherassay.cli import main; main()"
    arguments = [
        "circuit",
        "search",
        "serpent.S3",
        "--target",
        "infinite",
        "--seconds",
        "300",
        "-o",
        "best.txt",
    ]
    started = subprocess.Popen(
        [sys.executable, "-c", command, *arguments],
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    kept = here / "cache" / "circuits"
    until = time.monotonic() + 100
    while time.monotonic() < until and not any('"best": "c' in p.read_text() for p in kept.glob("*.json")):
        time.sleep(0.2)
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=60)
    assert started.returncode == 130, said
    assert said.rstrip().endswith("interrupted; what was finished is kept")
    document = library.read(here / "best.txt").document
    assert document.name == "serpent.S3"
    assert document.metrics["cycles"] >= 3
