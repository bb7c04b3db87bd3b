"""The command line: what every verb has, how errors end, how fast it starts."""

from __future__ import annotations

import multiprocessing
import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from cipherassay import _engine
from cipherassay.cli import main
from cipherassay.errors import AssayError, ToolError
from support.command import assay, start, verbs
from support.places import SOURCE

HEAVY = (
    "numpy",
    "pyarrow",
    "duckdb",
    "altair",
    "matplotlib",
    "scipy",
    "jinja2",
    "vl_convert",
    "rich.console",
)


def test_verbs_are_those_of_the_design() -> None:
    first = {path[0] for path, _ in verbs()}
    assert first >= {"list", "show", "check", "new", "query", "doctor", "report"}


def test_every_verb_has_json_and_help() -> None:
    for path, verb in verbs():
        options = {name for parameter in verb.params for name in parameter.opts}
        assert "--json" in options, path
        assert len(verb.help or "") > 20, path
        undescribed = [p.name for p in verb.params if not getattr(p, "help", None)]
        assert not undescribed, (path, undescribed)


def test_starts_without_heavy_modules() -> None:
    code = (
        "import sys; from cipherassay.cli import application; application(); "
        f"print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )  # fmt: skip
    assert ran.stdout.strip() == "[]"


def processor_seconds(run: Callable[[], Any]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def test_starts_fast() -> None:
    # Beside the command-line library alone, by turns, in processor time: neither a slow nor a busy machine counts.
    library = [sys.executable, "-c", "import typer.rich_utils, rich.console, rich.table, rich.panel"]
    turns = [
        (
            processor_seconds(lambda: start("--help")),
            processor_seconds(lambda: subprocess.run(library, check=True)),
        )
        for _ in range(4)
    ]
    ours, least = map(min, zip(*turns, strict=True))
    assert ours < 2 * least, turns


def test_unknown_verb(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "lst")
    known = ", ".join(sorted({path[0] for path, _ in verbs()}))
    assert (
        ran.err == f"error[U001]: there is no `assay lst`\n   = help: did you mean `list`? (known: {known})\n"
    )
    assert (ran.code, ran.out) == (2, "")


def test_unknown_option(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "doctor", "--jsn")
    assert ran.err == (
        "error[U002]: `assay doctor` has no option `--jsn`\n"
        "   = help: did you mean `--json`? (known: --help, --json)\n"
    )
    assert ran.code == 2


def test_help_is_a_word_too(capsys: pytest.CaptureFixture[str]) -> None:
    asked = assay(capsys, "emit", "c", "--help")
    assert asked.out == assay(capsys, "help", "emit", "c").out == assay(capsys, "emit", "c", "-h").out
    assert asked.code == 0


def test_the_help_has_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    shown = " ".join(assay(capsys, "help").out.split())
    codes = {each.exit_code for each in AssayError.__subclasses__()}
    assert codes == {2, 3, 4, 5, 6}
    assert all(f"; {code} " in shown for code in (*codes, 70))
    assert shown == " ".join(assay(capsys, "-h").out.split())


def test_an_unknown_processor_is_refused_before_any_work(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "measure", "rc6", "-p", "native", "-p", "pa850")
    assert ran.err.startswith("error[M002]: there is no processor `pa850`\n   = help: did you mean `pa8500`? ")
    assert ran.code == 2


def test_missing_argument(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "query")
    assert ran.err == (
        "error[U003]: `assay query`: missing argument 'SQL'\n"
        "   = help: `assay query --help` shows what it takes\n"
    )
    assert ran.code == 2


def test_no_verb_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys)
    assert "Usage: assay" in ran.out
    assert ran.err == ""


def failing(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def find_all() -> Any:
        raise error

    monkeypatch.setattr("cipherassay.tools.find_all", find_all)


def test_an_error_ends_with_its_code(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(ToolError("T999", "it is not here", notes=["a fact"], help="get it"), monkeypatch)
    ran = assay(capsys, "doctor")
    assert ran.err == "error[T999]: it is not here\n   = a fact\n   = help: get it\n"
    assert (ran.code, ran.out) == (5, "")


def test_interruption_ends_with_130(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(KeyboardInterrupt(), monkeypatch)
    ran = assay(capsys, "doctor")
    assert (ran.code, ran.err) == (130, "interrupted; what was finished is kept\n")


def test_a_bug_is_one_short_message(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASSAY_DEBUG", raising=False)
    failing(KeyError("lost"), monkeypatch)
    ran = assay(capsys, "doctor")
    first, where, helped = ran.err.splitlines()
    assert first == "error: a bug in assay: KeyError: 'lost'"
    assert where.startswith("  --> ")
    assert helped.startswith("   = help: run the command again with `assay --debug")
    assert ran.code == 70
    monkeypatch.setenv("ASSAY_DEBUG", "1")
    assert "Traceback" in assay(capsys, "doctor").err


def test_output_cut_off_by_its_reader_is_no_error() -> None:
    command = f"{sys.executable} -c 'from cipherassay.cli import main; main()' doctor --json | head -c 1"
    ran = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )  # fmt: skip
    assert (ran.stdout, ran.stderr) == ("{", "")


def test_query_json(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_STORE", str(tmp_path))
    sql = (
        "select value, unit from results "
        "where target = 'pentium-ii' and metric = 'cycles' and operation = 'encrypt' and cipher = 'E2'"
    )
    ran = assay(capsys, "query", sql, "--json")
    assert ran.json == {"rows": [{"value": 355.0, "unit": "cycles"}]}
    assert ran.err == ""


def panicking() -> None:
    _engine.panic_for_test("the sum is lost")


def panicking_in_a_thread() -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(panicking).result()


def panicking_in_a_process() -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        pool.submit(_engine.panic_for_test, "the sum is lost").result()


@pytest.mark.parametrize(
    ("run", "first", "where"),
    [
        (panicking, "PanicException: the sum is lost", r"  --> crates/python/src/panics\.rs:\d+"),
        (panicking_in_a_thread, "PanicException: the sum is lost", r"  --> crates/python/src/panics\.rs:\d+"),
        (
            panicking_in_a_process,
            r"EnginePanic: the sum is lost \(crates/python/src/panics\.rs:\d+\)",
            r"  --> .*:\d+",
        ),
    ],
)
def test_a_panic_of_the_engine_is_one_short_message(
    run: Callable[[], None],
    first: str,
    where: str,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ASSAY_DEBUG", raising=False)
    monkeypatch.setattr("cipherassay.tools.find_all", run)
    with pytest.raises(SystemExit) as ended:
        main(["doctor"])
    lines = capfd.readouterr().err.splitlines()  # of the whole process: Rust says nothing of its own
    assert re.fullmatch(f"error: a bug in assay: {first}", lines[0])
    assert re.fullmatch(where, lines[1])
    assert lines[2].startswith("   = help: run the command again with `assay --debug")
    assert (len(lines), ended.value.code) == (3, 70)


def test_debug_shows_all_of_a_panic(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_DEBUG", "1")
    monkeypatch.setattr("cipherassay.tools.find_all", panicking)
    with pytest.raises(SystemExit) as ended:
        main(["doctor"])
    said = capfd.readouterr().err
    assert "Traceback" in said
    assert "panicked at crates/python/src/panics.rs" in said
    assert ended.value.code == 70


def test_the_help_explains_a_code(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "help", "m050")
    assert (ran.code, ran.out) == (
        0,
        "M050: files of processors\n"
        "Correct the processor's or the instruction set's file; `assay check NAME` finds\nall contradictions at once.\n",
    )
    ran = assay(capsys, "help", "Q123")
    assert ran.err.startswith("error[U064]: there is no error `Q123`\n   = help: codes begin with A0, B0, C0, ")
