"""Outside tools as the checks run them: in a folder of their own, with a time limit, their words kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cipherassay.circuits.emitted import Run, refused
from cipherassay.tools import find, running


def tool_name(record: str) -> tuple[str, str]:
    """Return a tool's name with its version, and why it cannot be used (empty: it can)."""
    found = find(record)
    if not found.place:
        return found.tool.look[0], f"not on this machine ({found.tool.how_to_get()})"
    return f"{Path(found.place).name} {found.version}".strip(), ""


def run_tool(command: Sequence[str], folder: Path, language: str) -> str:
    """Run a command and return what it prints.

    Raises
    ------
    VerificationError
        ``C411``: it fails or does not end.
    """
    name = Path(command[0]).name
    try:
        done = running.run(command, seconds=running.BUILD, cwd=folder)
    except running.OutOfTime as error:
        raise refused(None, language, name, [error.message, error.help]) from None
    if done.code:
        words = [line for line in (done.err + done.out).splitlines() if line.strip()]
        raise refused(None, language, name, [*words, f"exit code {done.code}"])
    return done.out


def table_lines(printed: str, count: int, tool: str, language: str) -> tuple[tuple[int, ...], ...]:
    """Read lines of values, one line per text, each beginning with ``=``.

    Raises
    ------
    VerificationError
        ``C411``: something else than numbers was printed.
    """
    lines = [line[1:].split() for line in printed.splitlines() if line.startswith("=")]
    numbers = all(word.isdigit() for line in lines for word in line)
    if len(lines) != count or not numbers:
        shown = [line for line in printed.splitlines() if line.strip()]
        raise refused(None, language, tool, ["it printed no values:", *shown[:6]])
    return tuple(tuple(int(word) for word in line) for line in lines)


def skipped(tool: str, reason: str) -> Run:
    """Return the record of a tool that was not used."""
    return Run(tool, skipped=reason)
