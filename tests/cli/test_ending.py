"""Commands that are ended by a signal or whose tools hang: children end, temporary files go, the exit code tells."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.processes import script, soon_dead

MAIN = "import sys; from cipherassay.cli import main; main(sys.argv[1:])"
SLEEPING = 'echo $$ >> "$PIDS"; sleep 600 & echo $! >> "$PIDS"; wait'


class Place:
    """A folder with fake tools first in PATH, and folders of its own for temporary and kept files."""

    def __init__(self, folder: Path) -> None:
        self.tools, self.temporary, self.pids = (folder / name for name in ("tools", "temporary", "pids"))
        self.tools.mkdir()
        self.temporary.mkdir()
        self.environment = {
            **os.environ, "PATH": f"{self.tools}:{os.environ['PATH']}", "TMPDIR": str(self.temporary),
            "PIDS": str(self.pids), "ASSAY_STORE": str(folder / "store"), "CC": "gcc",
            "CIPHERASSAY_CACHE": str(folder / "cache"),
        }  # fmt: skip

    def start(self, *verb: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", MAIN, *verb], env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )  # fmt: skip

    def children(self) -> list[int]:
        """Return the numbers of the two processes of a sleeping tool, once both run."""
        end = time.monotonic() + 120
        while time.monotonic() < end:
            if self.pids.exists() and len(numbers := self.pids.read_text().split()) >= 2:
                return [int(number) for number in numbers]
            time.sleep(0.05)
        raise AssertionError("the tool was not started")

    def left(self) -> list[str]:
        return sorted(path.name for path in self.temporary.iterdir() if path.name.startswith("assay"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "ended by SIGTERM"),
        (signal.SIGHUP, 129, "ended by SIGHUP"),
    ],
)  # fmt: skip
def test_a_signal_while_a_compiler_runs(number: signal.Signals, code: int, said: str, place: Place) -> None:
    script(place.tools, f'[ "$1" = --version ] && echo gcc 9.9 && exit; {SLEEPING}', "gcc")
    with place.start("kat", "check", "--backend", "c", str(vectors())) as verb:
        children = place.children()
        start = time.monotonic()
        verb.send_signal(number)
        _, err = verb.communicate(timeout=30)
    assert (verb.returncode, err) == (code, f"{said}; what was finished is kept\n")
    assert time.monotonic() - start < 10
    assert all(map(soon_dead, children))
    assert place.left() == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_processes_beside_work(number: signal.Signals, place: Place) -> None:
    """Each process has an assembler that hangs."""
    script(place.tools, SLEEPING, "avr-gcc")
    script(place.tools, "exit 0", "cc")
    code = "from support.hanging import hang_in_processes; hang_in_processes()"
    environment = {**place.environment, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        [sys.executable, "-c", code], env=environment, text=True, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as verb:  # fmt: skip
        children = place.children()
        verb.send_signal(number)
        verb.communicate(timeout=30)
    assert verb.returncode == 128 + number
    assert all(map(soon_dead, children))
    assert place.left() == []


KEEPING = """
import hashlib, sys, time
from cipherassay import signals

def work(rounds):
    start = time.monotonic()
    hashlib.pbkdf2_hmac("sha256", b"", b"", rounds)
    return time.monotonic() - start

with signals.orderly_end():
    signals.finishing()
    rounds = int(3 / work(200_000) * 200_000)
    try:
        print("begun", flush=True)
        work(rounds)
    except KeyboardInterrupt:
        print("kept")
        sys.exit(signals.exit_code())
"""


def test_what_is_made_is_kept_though_python_hears_late_of_a_signal() -> None:
    """Nothing interrupts one call of a library, here of three seconds."""
    with subprocess.Popen(
        [sys.executable, "-c", KEEPING], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as verb:  # fmt: skip
        assert verb.stdout is not None
        assert verb.stdout.readline() == "begun\n"
        verb.send_signal(signal.SIGINT)
        out, err = verb.communicate(timeout=60)
    assert (verb.returncode, out, err) == (130, "kept\n", "")


def test_a_compiler_that_hangs(place: Place) -> None:
    script(place.tools, f'[ "$1" = --version ] && echo gcc 9.9 && exit; {SLEEPING}', "gcc")
    place.environment["ASSAY_TOOL_TIME"] = "0.005"
    script(place.tools, "exec sleep 600", "clang")
    with place.start("kat", "check", "--backend", "c", str(vectors())) as verb:
        _, err = verb.communicate(timeout=120)
    assert verb.returncode == 5
    assert err.startswith("error[T004]: `gcc` does not end within 3 s compiling ")
    assert err.endswith("   = help: ASSAY_TOOL_TIME=4 in the environment waits four times as long\n")
    assert all(map(soon_dead, place.children()))
    assert place.left() == []


def test_doctor_with_tools_that_hang_or_lie(place: Place) -> None:
    for name in ("yosys", "java", "javac", "mvn", "iverilog", "avr-gcc", "qemu-alpha"):
        script(place.tools, SLEEPING, name)
    script(place.tools, "exit 0", "valgrind")
    script(place.tools, r"printf '\377\376 1.5'", "make")
    script(place.tools, "exit 3", "verilator")
    (place.tools / "ghdl").write_text("no program")
    (place.tools / "ghdl").chmod(0o755)
    place.environment["ASSAY_TOOL_TIME"] = "0.15"
    start = time.monotonic()
    with place.start("doctor", "--json") as verb:
        out, err = verb.communicate(timeout=60)
    assert (verb.returncode, err) == (0, "")
    assert time.monotonic() - start < 30
    found = {one["name"]: one for one in json.loads(out)["tools"]}
    silent = "does not answer within 3 s"
    assert {found[name]["trouble"] for name in ("yosys", "java", "maven", "iverilog", "avr-gcc")} == {silent}
    assert found["valgrind"]["trouble"] == "prints nothing"
    assert (found["make"]["version"], found["make"]["trouble"]) == ("1.5", None)
    assert found["verilator"]["trouble"] == "fails with exit status 3"
    assert found["ghdl"]["trouble"] == "cannot be started"
    assert all(map(soon_dead, place.children()))


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("exit 0", "error[H701]: `yosys` failed reading a.v\n   = it wrote no `design.il`\n"),
        ("echo garbage > design.il", "error[H714]: "),
    ],
)
def test_yosys_that_does_nothing_or_writes_garbage(
    does: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cipherassay.errors import AssayError
    from cipherassay.hardware.synthesis import frontend
    from cipherassay.hardware.tools import yosys

    tool = script(tmp_path, does, "yosys")
    monkeypatch.setattr(yosys, "_command", lambda: (str(tool),))
    with pytest.raises(AssayError) as caught:
        frontend.elaborate({"a.v": "module a(input x, output y); assign y = ~x; endmodule\n"})
    assert (str(caught.value) + "\n").startswith(said)


def test_output_in_another_encoding(place: Place) -> None:
    place.environment["PYTHONIOENCODING"] = "ascii"
    with place.start("study", "hardware") as verb:
        out, err = verb.communicate(timeout=120)
    assert (verb.returncode, err) == (0, "")
    assert "?m?" in out, "µm²"
    with place.start("list", "--json") as verb:
        out, err = verb.communicate(timeout=120)
    authors = [author for paper in json.loads(out)["published"] for author in paper["authors"]]
    assert "Radosław Gancarz" in authors


def vectors() -> Path:
    from cipherassay.vectors.kept import FOLDER

    return FOLDER / "rc6" / "ecb_vk.txt"
