"""Every verb with absurd options: an error that says what is wrong, before any work; nothing is left behind."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from cipherassay.cli import application
from support.command import assay

Capture = pytest.CaptureFixture[str]
LONG = "x" * 300


def verbs(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if hasattr(command, "commands"):
        for name, part in command.commands.items():
            yield from verbs(part, (*path, name))
    else:
        yield path, command


VERBS = dict(verbs(typer.main.get_command(application())))


def given(command: Any) -> list[str]:
    """Return something for all that a verb needs; none of it is looked at before the options are."""
    needed = [one for one in command.params if one.required]
    arguments = ["rc6" for one in needed if one.param_type_name == "argument"]
    options = [(max(one.opts, key=len), "x") for one in needed if one.param_type_name == "option"]
    return [*arguments, *(word for pair in options for word in pair)]


KINDS = {"int": int, "integer": int, "float": float, "str": str, "text": str, "path": Path}


def kinds(option: Any) -> set[Any]:
    return {KINDS.get(option.type.name.split()[0])}


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_numbers_that_nothing_can_be_done_with(verb: tuple[str, ...], capsys: Capture) -> None:
    command = VERBS[verb]
    numbers = [one for one in command.params if one.param_type_name == "option" and kinds(one) & {int, float}]
    for option in numbers:
        name = max(option.opts, key=len)
        for value in ("-1", "1e400"):
            ran = assay(capsys, *verb, *given(command), name, value)
            assert (ran.code, ran.out) == (2, ""), (name, value, ran)
            assert ran.err.startswith(("error[U003]", "error[U004]")), (name, value, ran.err)
            assert name in ran.err


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_texts_that_can_be_no_names(verb: tuple[str, ...], capsys: Capture) -> None:
    command = VERBS[verb]
    texts = [one for one in command.params if one.param_type_name == "option" and kinds(one) & {str, Path}]
    for option, value in zip(texts, itertools.cycle(("a\0b", LONG, f"/tmp/{LONG}/x")), strict=False):
        name = max(option.opts, key=len)
        ran = assay(capsys, *verb, *given(command), name, value)
        assert (ran.code, ran.out) == (2, ""), (name, value, ran)
        assert ran.err.startswith(("error[U003]", "error[U007]", "error[U008]", "error[U009]", "error[U03")), (name, ran.err)


def test_the_words_of_a_refusal(capsys: Capture) -> None:
    assert assay(capsys, "measure", "rc6", "--operation", "encrypt", "-p", "pa8500", "--prove", "nan").err == (
        "error[U004]: `--prove` cannot be nan\n   = help: --prove takes a number of 0 or more\n"
    )
    assert assay(capsys, "measure", "rc6", "--inputs", "99999999999999999999").err == (
        "error[U004]: `--inputs` cannot be 99999999999999999999\n"
        "   = help: --inputs takes a whole number from 0 to 4611686018427387903\n"
    )
    assert assay(capsys, "show", LONG).err == (
        f"error[U009]: `name` holds a name of more than 255 bytes: `{LONG[:40]}…`\n"
    )


def test_every_output_is_checked_before_the_work() -> None:
    for path, command in VERBS.items():
        for option in command.params:
            if "-o" in option.opts or option.name in ("html", "memory_out", "picture"):
                assert option.callback is not None, path


@pytest.mark.parametrize(
    "verb",
    [
        ("study", "layout", "e2"), ("study", "linear", "e2"), ("report",), ("synthesize", "rc6"), ("kat", "generate", "rc6"),
        ("emit", "c", "rc6"), ("emit", "rtl", "rc6"), ("new", "toy"), ("circuit", "emit", "gift.S"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_folders_that_cannot_be_written(verb: tuple[str, ...], capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("kept")
    assert assay(capsys, *verb, "-o", str(file)).err == (
        f"error[U031]: `{file}` is a file, not a folder\n   = help: name a folder with -o DIR\n"
    )
    below = file / "below"
    ran = assay(capsys, *verb, "-o", str(below))
    assert ran.err.startswith(f"error[U030]: the folder `{below}` cannot be written\n   = "), ran.err
    ran = assay(capsys, *verb, "-o", "/proc/self/none")
    assert ran.err.startswith("error[U030]: the folder `/proc/self/none` cannot be written\n   = "), ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert file.read_text() == "kept"


def test_files_that_cannot_be_written(capsys: Capture, tmp_path: Path) -> None:
    circuit = ("circuit", "search", "gift.S", "-o")
    assert assay(capsys, *circuit, str(tmp_path)).err == (
        f"error[U032]: the file `{tmp_path}` cannot be written\n   = it is a folder\n"
    )
    absent = tmp_path / "none" / "x"
    assert assay(capsys, *circuit, str(absent)).err == (
        f"error[U032]: the file `{absent}` cannot be written\n   = there is no folder `{absent.parent}`\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_names_that_say_nothing(capsys: Capture, tmp_path: Path) -> None:
    kernel = ("measure", "rc6", "--operation", "encrypt", "-p", "pa8500")
    ran = assay(capsys, *kernel, "--without", "fodl")
    assert ran.err.startswith(
        "error[M709]: `--without fodl`: no pass, instruction or recipe of `pa8500` is called so\n"
        "   = help: did you mean `fold`?"
    )
    empty = tmp_path / "empty.toml"
    empty.write_text("# nothing\n")
    ran = assay(capsys, *kernel, "--instruction", str(empty))
    assert ran.err == (
        f"error[M023]: the file holds no instruction\n  --> {empty}\n"
        "   = help: records `[[instruction]]`, as in the files of processors\n"
    )
    assert assay(capsys, "check", "published", "--path", str(empty)).err == (
        f"error[B014]: `{empty}` is not a folder\n   = help: name the folder that holds papers\n"
    )
    ran = assay(capsys, "measure", "rc6", "-p", "avr", "--repeats", "5")
    assert ran.err.startswith("error[M719]: `--repeats` says nothing for `avr`\n")
    ran = assay(capsys, "emit", "asm", "rc6", "-p", "pentium-pro", "--without", "fold")
    assert ran.err.startswith("error[M719]: `--without` says nothing for `pentium-pro`\n")


def test_a_full_disk_is_no_bug(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> Any:
        raise OSError(28, "No space left on device", "/tmp/x")

    def short() -> Any:
        raise MemoryError

    monkeypatch.delenv("ASSAY_DEBUG", raising=False)
    monkeypatch.setattr("cipherassay.tools.find_all", full)
    ran = assay(capsys, "doctor")
    assert (ran.code, ran.err) == (
        5,
        "error[U006]: `/tmp/x` cannot be used: No space left on device\n"
        "   = help: give room or permission, or name another\n",
    )
    monkeypatch.setattr("cipherassay.tools.find_all", short)
    ran = assay(capsys, "doctor")
    assert ran.err == (
        "error[U005]: this machine has too little memory for that\n   = help: ask for less at once\n"
    )


def test_long_work_says_so(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    from cipherassay.console import progress

    monkeypatch.setenv("ASSAY_PROGRESS", "on")
    monkeypatch.setattr(progress, "FIRST_SECONDS", 0.4)
    monkeypatch.setattr("cipherassay.tools.find_all", lambda: time.sleep(1.5) or [])
    assert re.match(r"doctor: working, \d+ s so far\n", assay(capsys, "doctor").err)
    assert assay(capsys, "doctor", "--json").err == ""
    with progress.ticking("verb"), progress.progress("steps", 4) as bar:
        bar.advance(1, "first")
        time.sleep(1.5)
    assert capsys.readouterr().err.startswith("steps: 25 %")
