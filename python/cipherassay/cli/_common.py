"""What the verbs share: the --json option, output, messages, progress, output folders."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as RichProgress

Json = Annotated[bool, typer.Option("--json", help="Write one JSON document to standard output.")]
"""The type of every verb's ``--json`` option: ``def verb(json: Json = False)``."""


def write_json(document: Any) -> None:
    """Write exactly one JSON document to standard output; numbers that JSON lacks become null."""
    sys.stdout.write(json.dumps(_plain(document), indent=2, ensure_ascii=False) + "\n")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if hasattr(value, "item"):  # a NumPy scalar
        return _plain(value.item())
    return str(value)


def output() -> Console:
    """Return the console for results (standard output)."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


def messages() -> Console:
    """Return the console for progress and remarks (standard error)."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def say(text: str) -> None:
    """Write one remark to standard error."""
    typer.echo(text, err=True)


def show_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, title: str = "") -> None:
    """Print a table to standard output; numbers are set right, None is an empty cell."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    body = [list(row) for row in rows]
    table = Table(title=title or None, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for n, name in enumerate(columns):
        cells = [row[n] for row in body if row[n] is not None]
        numeric = bool(cells) and all(isinstance(cell, (int, float)) for cell in cells)
        table.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in body:
        table.add_row(*(Text(format_cell(cell)) for cell in row))
    console = output()
    if not sys.stdout.isatty():
        console.width = 2000  # what goes into a file or a pipe is not folded
    console.print(table)


def format_cell(value: Any) -> str:
    """Return a cell's text: nothing for None; floats with two decimals at most or four digits."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if not math.isfinite(value):
            return ""
        return f"{value:.2f}".rstrip("0").rstrip(".") if abs(value) >= 10 else f"{value:.4g}"
    return str(value)


def output_folder(path: Path) -> Path:
    """Make the folder that a command writes into and check that it can be written.

    Raises
    ------
    UsageError
        ``U030``: it cannot be made or written; ``U031``: there is a file in its place.
    """
    if path.exists() and not path.is_dir():
        raise UsageError("U031", f"`{path}` is a file, not a folder", help="name a folder with -o DIR")
    try:
        path.mkdir(parents=True, exist_ok=True)
        # Only a try tells: the mode bits do not know of read-only mounts.
        trial = path / f".assay-{os.getpid()}"
        trial.touch()
        trial.unlink()
    except OSError as error:
        raise UsageError(
            "U030",
            f"the folder `{path}` cannot be written",
            notes=[error.strerror or str(error)],
            help="name another folder with -o DIR",
        ) from None
    return path


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all: under another name first, then renamed into place."""
    data = content.encode() if isinstance(content, str) else content
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(data)
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise UsageError(
            "U032", f"the file `{path}` cannot be written", notes=[error.strerror or str(error)]
        ) from None


def write_files(
    folder: Path, files: Iterable[tuple[str, str | bytes]], about: dict[str, Any], *, json: bool
) -> None:
    """Write files into a folder and say which, or one JSON document: what is known, and the files."""
    output_folder(folder)
    written = []
    for name, content in files:
        output_folder((folder / name).parent)
        write_file(folder / name, content)
        written.append(str(folder / name))
    if json:
        write_json({**about, "files": written})
    else:
        say("\n".join(f"wrote {path}" for path in written))


class Progress:
    """A count of work done, shown on standard error with an estimate of the time left.

    In a window a bar, elsewhere a line every few seconds; nothing when quiet.
    """

    def __init__(self, title: str, total: float, *, quiet: bool = False, every: float = 5.0) -> None:
        self.title, self.total, self.done, self.note = title, total, 0.0, ""
        self._start = self._last = time.monotonic()
        self._every = every
        self._quiet = quiet
        self._bar = _window_bar(title, total) if sys.stderr.isatty() and not quiet else None

    def advance(self, amount: float = 1.0, note: str = "") -> None:
        """Count work as done; `note` says what is being worked on."""
        self.done += amount
        self.note = note or self.note
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self.done, note=self.note)
        elif not self._quiet and time.monotonic() - self._last >= self._every:
            self._last = time.monotonic()
            say(self.line())

    def left(self) -> float | None:
        """Return the estimated seconds left, None before there is anything to judge from."""
        elapsed = time.monotonic() - self._start
        if self.done <= 0 or elapsed < 1.0:
            return None
        return elapsed / self.done * max(self.total - self.done, 0.0)

    def line(self) -> str:
        """Return where the work stands, in a line."""
        left = self.left()
        share = 100.0 * self.done / self.total if self.total else 100.0
        tail = f", about {format_time(left)} left" if left is not None and self.done < self.total else ""
        return f"{self.title}: {share:.0f} %{tail}{'  ' + self.note if self.note else ''}"

    def close(self) -> None:
        """End the display."""
        if self._bar is not None:
            self._bar.stop()


def _window_bar(title: str, total: float) -> RichProgress:
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (
        TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(),
        TextColumn("[dim]{task.fields[note]}"),
    )  # fmt: skip
    bar = RichProgress(*columns, console=messages(), transient=True)
    bar.add_task(title, total=total, note="")
    bar.start()
    return bar


@contextmanager
def progress(title: str, total: float, *, quiet: bool = False) -> Iterator[Progress]:
    """Show progress of `total` units of work while the block runs."""
    bar = Progress(title, total, quiet=quiet)
    try:
        yield bar
    finally:
        bar.close()


def format_time(seconds: float) -> str:
    """Return a length of time for people: ``45 s``, ``3 min 20 s``, ``2 h 5 min``."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


class Bar:
    """Shows jobs whose number is not known before: each stage adds to the total."""

    def __init__(self, bar: Progress) -> None:
        self.bar = bar

    def expect(self, jobs: int) -> None:
        """Add jobs to the total."""
        self.bar.total += jobs

    def done(self, jobs: int, title: str) -> None:
        """Count jobs as done."""
        self.bar.advance(jobs, title)
