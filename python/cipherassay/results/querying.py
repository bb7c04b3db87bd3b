"""What users ask in SQL: answered by a process that can neither read nor write anything but its tables."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cipherassay.errors import AssayError, UsageError
from cipherassay.results.gathering import gather, read_files, unreadable
from cipherassay.results.store import Store, invalid
from cipherassay.results.tables import OF_ROWS, statements

Say = Callable[[str], None]


@dataclass(frozen=True)
class Limits:
    """What a query may take."""

    memory: int = 1024
    """MiB of the database, and of the answer."""
    seconds: float = 30.0
    rows: int = 100_000
    """Lines of the answer."""


DEFAULT = Limits()
_EXAMPLE = "ask like \"select cipher, value from results where metric = 'cycles'\""


class QueryLimitError(AssayError):
    """A query that takes more than it may."""

    exit_code = 2


def query(
    store: Store,
    sql: str,
    limits: Limits = DEFAULT,
    *,
    say: Say = lambda text: None,
    busy: Say = lambda text: None,
) -> tuple[list[str], list[list[Any]]]:
    """Return the columns and the lines that a user's query gives over `cipherassay.results.tables`.

    `results` has the rows of the store and those of every source (`cipherassay.results.sources`); `samples`
    those of the store. Values that JSON lacks, like dates, come as text.

    Parameters
    ----------
    say
        Told what could not be read.
    busy
        Told what takes time.

    Raises
    ------
    UsageError
        ``R011``: the query is not valid; ``R012``: it is empty; ``R013``: it has several statements;
        ``R014``: it is none that only reads; ``R015``: it asks for a file, the network or an extension.
    QueryLimitError
        ``R016``: it takes more memory than it may; ``R017``: more time; ``R018``: it gives more lines.
    StoreError
        ``R019``: the cache, in which the rows are gathered, cannot be written; ``R021``: or not be read.
    """
    try:
        sql.encode()
    except UnicodeEncodeError:
        raise invalid("it is no text in UTF-8") from None
    process = _start()
    try:
        answer = _ask(process, {"tables": _tables(store, sql, say, busy), "sql": sql, **vars(limits)})
    finally:
        process.kill()
        process.wait()
    if "refused" in answer:
        raise _error(answer["refused"], answer["said"], limits)
    return answer["columns"], answer["lines"]


def _tables(store: Store, sql: str, say: Say, busy: Say) -> list[str]:
    """Return the SQL that makes the tables; those that a query does not name are empty."""
    asked = sql.lower()
    by_text = "query" in asked  # functions that take a table's name, or a query, as text
    rows, samples = by_text or any(name in asked for name in OF_ROWS), by_text or "samples" in asked
    if not rows and not samples:
        return statements()
    found = gather(store, say, busy)
    return statements(found.select() if rows else "", read_files(found.samples) if samples else "")


def _start() -> subprocess.Popen[bytes]:
    """Start the process that answers; while it starts, the tables are made ready."""
    return subprocess.Popen(
        [sys.executable, "-P", str(Path(__file__).with_name("sandbox.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_environment(),
        start_new_session=True,
    )


def _environment() -> dict[str, str]:
    """Return only what it takes to start Python and the database."""
    needed = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    return {**needed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def _ask(process: subprocess.Popen[bytes], request: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the process answers, or how it was ended."""
    try:
        out, err = process.communicate(json.dumps(request).encode(), request["seconds"])
    except subprocess.TimeoutExpired:
        return {"refused": "time", "said": ""}
    if process.returncode < 0:
        by = signal.Signals(-process.returncode)
        refused = "time" if by == signal.SIGALRM else "memory"
        return {"refused": refused, "said": f"its process was ended by {by.name}"}
    if process.returncode:
        raise RuntimeError(err.decode(errors="replace").strip())
    answer: dict[str, Any] = json.loads(out)
    return answer


def _error(refused: str, said: str, limits: Limits) -> AssayError:
    notes = [line.rstrip() for line in said.splitlines() if line.strip()]
    match refused:
        case "empty":
            return UsageError("R012", "the query is empty", help=_EXAMPLE)
        case "several":
            return UsageError("R013", f"these are {said} statements", help="ask one at a time")
        case "writing":
            return UsageError("R014", f"`{said}` is no statement that only reads", help=_EXAMPLE)
        case "outside":
            return UsageError("R015", "a query sees only the tables of results", notes=notes, help=_EXAMPLE)
        case "memory":
            return _over("R016", f"takes more than {limits.memory} MiB of memory", notes[:1], "memory MIB")
        case "time":
            return _over("R017", f"takes more than {limits.seconds:g} s", notes, "seconds S")
        case "tables":
            return unreadable(said)
        case "rows":
            return _over("R018", f"gives more than {limits.rows} rows", notes, "rows N")
    return invalid(said)


def _over(code: str, what: str, notes: Sequence[str], option: str) -> QueryLimitError:
    return QueryLimitError(code, f"the query {what}", notes=notes, help=f"--{option} allows more")
