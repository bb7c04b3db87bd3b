"""Measure the goals of the project's setup, report, tests and packages in a fresh clone, and print each.

Usage: python scripts/accept.py [--in DIR] [--baseline BEST.csv] [GOAL…]

Each goal is printed with the measured value, its limit, CPU seconds of all processes beside wall time, and
whether it is met. Times are from nothing: the clone has no environment, no engine and no cache. The goals
share the clone and build on one another in their order; named ones are measured with those before them.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[1]
MEGABYTE = 1e6
OPTIONS = "REPORT_OPTIONS=--accept-unstable"
"""Measurements on a machine that is not quiet are taken as they come; they would be repeated otherwise."""


@dataclass(frozen=True)
class Goal:
    """A measured value with a limit above which it is not met."""

    name: str
    what: str
    limit: float
    unit: str
    measure: Callable[[Run], float]


@dataclass
class Run:
    """A fresh clone in which goals are measured."""

    folder: Path
    baseline: Path
    begun: float = field(default_factory=time.monotonic)
    log: str = ""

    def command(self, *words: str, environment: dict[str, str] | None = None) -> tuple[float, str]:
        """Run a command in the clone; return its seconds and what it printed. A failure ends everything."""
        start = time.monotonic()
        ran = subprocess.run(
            words, cwd=self.folder, env=os.environ | (environment or {}), text=True, errors="replace",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=7200, check=False,
        )  # fmt: skip
        if ran.returncode:
            sys.stdout.write(ran.stdout[-4000:])
            raise SystemExit(f"failed with status {ran.returncode}: {' '.join(words)}")
        return time.monotonic() - start, ran.stdout

    @cached_property
    def setup(self) -> float:
        """The seconds of the setup from nothing, which is done when this is first read."""
        return self.command("make", "setup")[0]

    def first_page(self) -> float:
        """Return the seconds from nothing to the first page; the report then goes on to its end."""
        start = time.monotonic() - self.setup
        process = subprocess.Popen(
            ["make", "report", OPTIONS], cwd=self.folder, text=True,
            errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        first = float("inf")
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("first page:"):
                first = time.monotonic() - start
            self.log = (self.log + line)[-4000:]
        if process.wait():
            raise SystemExit(f"make report failed:\n{self.log}")
        self.whole = time.monotonic() - start
        return first

    whole: float = 0.0


def _engine(run: Run) -> float:
    """Return the seconds of the engine alone, built beside what the setup built."""
    assert run.setup
    words = ["cargo", "build", "--release", "-p", "cipherassay-python", "--features", "sat"]
    python = str(run.folder / ".venv/bin/python")
    fresh = {"CARGO_TARGET_DIR": str(run.folder / "target/fresh"), "PYO3_PYTHON": python}
    seconds = run.command(*words, environment=fresh | {"PYO3_BUILD_EXTENSION_MODULE": "1"})[0]
    shutil.rmtree(run.folder / "target/fresh")
    return seconds


def _query(run: Run) -> float:
    assay = str(run.folder / ".venv/bin/assay")
    return min(run.command(assay, "query", "select 1")[0] for _ in range(5))


def _memory(run: Run) -> float:
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / MEGABYTE


def _worse(run: Run) -> float:
    command = [str(run.folder / ".venv/bin/python"), "scripts/baseline.py", str(run.baseline)]
    ran = subprocess.run(command, cwd=run.folder, capture_output=True, text=True, check=False, timeout=600)
    sys.stdout.write(ran.stdout)
    return float(sum(line.startswith(("worse:", "missing:")) for line in ran.stdout.splitlines()))


GOALS = (
    Goal("engine", "the engine alone from nothing", 100, "s", _engine),
    Goal("first-page", "make report: the first page, with setup", 300, "s", Run.first_page),
    Goal("report", "make report: everything, with setup", 720, "s", lambda run: run.whole),
    Goal("memory", "make report: the largest process", 4000, "MB", _memory),
    Goal("again", "make report when nothing changed", 20, "s", lambda run: run.command(
        "make", "report", OPTIONS
    )[0]),
    Goal("query", "assay query 'select 1'", 0.5, "s", _query),
    Goal("baseline", "figures that are worse than the list or missing", 0, "", _worse),
    Goal("check", "make check, warm, after no change", 60, "s", lambda run: min(
        run.command("make", "check")[0] for _ in range(2)
    )),
    Goal("test", "make test, with setup", 600, "s", lambda run: run.setup + run.command("make", "test")[0]),
)  # fmt: skip


def main() -> int:
    """Measure the goals; return 1 if one is not met."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--in", dest="folder", type=Path, help="an empty folder for the clone")
    parser.add_argument("--baseline", type=Path, default=ROOT.parent / "shared" / "baseline" / "best.csv")
    parser.add_argument("goals", nargs="*", choices=[[], *(goal.name for goal in GOALS)], metavar="GOAL")
    given = parser.parse_args()
    wanted = given.goals or [goal.name for goal in GOALS]
    last = max(number for number, goal in enumerate(GOALS) if goal.name in wanted)
    with tempfile.TemporaryDirectory(prefix="assay-accept-") as temporary:
        folder = given.folder or Path(temporary) / "clone"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(folder)], check=True, timeout=600)
        run, missed = Run(folder, given.baseline.resolve()), 0
        for goal in GOALS[: last + 1]:
            before, start = _cpu_seconds(), time.monotonic()
            value = goal.measure(run)
            spent = f"{_cpu_seconds() - before:.0f} CPU s in {time.monotonic() - start:.0f} s"
            if goal.name in wanted:
                missed += value > goal.limit
                verdict = "met" if value <= goal.limit else "MISSED"
                measured = f"{value:.4g} {goal.unit} (limit {goal.limit:g}; {spent})"
                sys.stdout.write(f"{verdict:6}  {goal.name}: {measured}: {goal.what}\n")
                sys.stdout.flush()
    return 1 if missed else 0


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
