"""Outside programs: bounded in time, ended with their children, whatever they print, however they fail."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cipherassay.errors import ToolError, UsageError
from cipherassay.tools import running
from support.processes import alive, script, soon_dead

PACKAGE = Path(running.__file__).parent.parent


def test_a_program_gets_its_input_and_gives_its_words(tmp_path: Path) -> None:
    tool = script(tmp_path, 'cat; echo "$WORD" >&2; exit 3')
    done = running.run([tool], seconds=10, input="given", env={"WORD": "said"}, cwd=tmp_path)
    assert (done.code, done.out, done.err, done.name) == (3, "given", "said\n", "tool")


def test_what_is_no_utf8_is_replaced(tmp_path: Path) -> None:
    done = running.run([script(tmp_path, r"printf '\377gut\r\n'")], seconds=10)
    assert (done.out, done.data) == ("\ufffdgut\n", b"\xffgut\r\n")


def test_a_program_out_of_time_ends_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = script(tmp_path, f"echo 'error: half'; sleep 600 & echo $! > {tmp_path}/child; wait")
    monkeypatch.setenv("ASSAY_TOOL_TIME", "0.5")
    with pytest.raises(running.OutOfTime) as caught:
        running.run([tool], seconds=2, what="waiting")
    assert str(caught.value) == (
        f"error[T004]: `tool` does not end within 1 s waiting\n   = command: {tool}\n   = error: half\n"
        "   = help: ASSAY_TOOL_TIME=4 in the environment waits four times as long"
    )
    assert soon_dead(int((tmp_path / "child").read_text()))


def test_a_child_in_another_session_keeps_nobody_waiting(tmp_path: Path) -> None:
    tool = script(tmp_path, f"setsid sh -c 'echo $$ > {tmp_path}/child; exec sleep 30' & wait")
    start = time.monotonic()
    with pytest.raises(running.OutOfTime):
        running.run([tool], seconds=0.5)
    assert time.monotonic() - start < 10
    os.kill(int((tmp_path / "child").read_text()), 9)


@pytest.mark.parametrize("text", ["soon", "nan", "-1", "0", "inf"])
def test_a_factor_that_is_no_number_above_zero(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_TOOL_TIME", text)
    with pytest.raises(UsageError) as caught:
        running.run(["true"], seconds=10)
    assert str(caught.value) == (
        f"error[T007]: ASSAY_TOOL_TIME is `{text}`\n"
        "   = help: a factor above zero for the time that outside programs may take: ASSAY_TOOL_TIME=4"
    )


def test_programs_that_cannot_be_started(tmp_path: Path) -> None:
    absent, text = tmp_path / "absent", tmp_path / "text"
    text.write_text("no program")
    with pytest.raises(running.NotStarted) as caught:
        running.run([absent], seconds=10, what="asking")
    assert str(caught.value) == (
        f"error[T003]: `absent` cannot be started asking\n   = {absent}: No such file or directory\n"
        "   = help: `assay doctor` shows which outside tools work"
    )
    with pytest.raises(running.NotStarted, match="Permission denied"):
        running.run([text], seconds=10)
    text.chmod(0o755)
    with pytest.raises(running.NotStarted, match="Exec format error"):
        running.run([text], seconds=10)
    with pytest.raises(running.NotStarted, match="null byte"):
        running.run(["a\0b"], seconds=10)


def test_a_program_that_fails(tmp_path: Path) -> None:
    tool = script(tmp_path, "echo fine; echo 'Error: 1'; echo so it is >&2; exit 4")
    with pytest.raises(ToolError) as caught:
        running.output([tool], seconds=10, what="counting")
    assert str(caught.value) == "error[T008]: `tool` failed counting\n   = exit status 4\n   = Error: 1"
    assert running.version_line([tool], "so") == "so it is"
    assert running.version_line([script(tmp_path, "exit 0", "mute")]) == "mute"


def test_a_program_that_answers_line_by_line(tmp_path: Path) -> None:
    tool = script(tmp_path, 'while read line; do echo "got $line"; done')
    with running.Interactive([tool], seconds=10) as program:
        for n in range(3):
            program.send(f"{n}")
            assert program.line() == f"got {n}"
        number = program._process.pid
    assert not alive(number)


def test_a_program_that_does_not_answer(tmp_path: Path) -> None:
    tool = script(tmp_path, "echo no idea >&2; sleep 600")
    with running.Interactive([tool], seconds=0.5, what="of 2 and 2") as program:
        program.send("2 2")
        with pytest.raises(running.OutOfTime) as caught:
            program.line()
        assert str(caught.value) == (
            f"error[T004]: `tool` does not answer within 0.5 s of 2 and 2\n   = command: {tool}\n   = no idea\n"
            "   = help: ASSAY_TOOL_TIME=4 in the environment waits four times as long"
        )
        with pytest.raises(running.OutOfTime):  # it reads nothing, and the pipe is full
            program.send("x" * (1 << 20))


def test_a_program_that_ends_instead_of_answering(tmp_path: Path) -> None:
    with running.Interactive([script(tmp_path, "echo broken >&2; exit 7")], seconds=10) as program:
        with pytest.raises(ToolError) as caught:
            program.line()
        with pytest.raises(ToolError):
            program.send("more")
    assert str(caught.value) == (
        "error[T005]: `tool` ended before it answered\n   = exit status 7\n   = broken"
    )


def test_all_programs_are_ended_for_the_threads_that_wait() -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(running.run, ["sleep", "600"], seconds=600) for _ in range(2)]
        while len(running._running) < 2:
            time.sleep(0.01)
        running.end_all()
        assert [one.result(timeout=10).code for one in waiting] == [-9, -9]


def test_no_other_module_starts_programs() -> None:
    calls = re.compile(r"\bsubprocess\b|\bPopen\b|os\.(system|popen|spawn|exec|fork|posix_spawn)")
    starting = {
        str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py") if calls.search(path.read_text())
    }
    # This Python, in processes with limits of their own: a query, a user's cipher file, the explorer's runs. The last names what it refuses.
    this_python, refusing = {"results/querying.py", "review/supervision.py"}, {"lang/outside.py"}
    this_python |= {"explorer/forking.py", "explorer/workers.py"}
    assert starting == {"tools/running.py", *this_python, *refusing}


ENDED = """
import sys
from cipherassay import signals
from cipherassay.tools import running
with signals.orderly_end():
    try:
        running.run(["sh", "-c", f"echo $$ $TMPDIR > {sys.argv[1]}; sleep 600; true"], seconds=600)
    except KeyboardInterrupt:
        print(signals.message())
        signals.end_now(signals.exit_code())
"""


@pytest.mark.parametrize(
    ("number", "code", "message"),
    [
        (2, 130, "interrupted; what was finished is kept"),
        (15, 143, "ended by SIGTERM; what was finished is kept"),
        (1, 129, "ended by SIGHUP; what was finished is kept"),
    ],
)
def test_a_signal_ends_programs_and_removes_temporary_files(
    number: int, code: int, message: str, tmp_path: Path
) -> None:
    place = tmp_path / "child"
    with subprocess.Popen(
        [sys.executable, "-c", ENDED, str(place)], stdout=subprocess.PIPE, text=True
    ) as one:
        while not place.exists() or not place.read_text().strip():
            time.sleep(0.02)
        child, folder = place.read_text().split()
        assert Path(folder).name.startswith("assay-")
        one.send_signal(number)
        printed, _ = one.communicate(timeout=20)
    assert (one.returncode, printed) == (code, f"{message}\n")
    assert soon_dead(int(child))
    assert not Path(folder).exists()


def test_a_thread_starts_nothing_where_the_command_is_ending(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running.signals, "received", lambda: 2)
    with ThreadPoolExecutor(1) as pool, pytest.raises(ToolError) as caught:
        pool.submit(running.run, ["true"], seconds=10).result()
    assert str(caught.value) == "error[T006]: `true` was interrupted\n   = the command is ending"
