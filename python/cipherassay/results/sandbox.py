"""Runs one query of a user in a process of its own; started by `querying`, with a request on standard input.

The database loads its tables, then loses files, network and extensions, its settings are locked, and the
process can open no file any more. Only the standard library and the database are imported here.
"""

import datetime  # noqa: F401 - values of answers need these, and nothing can be imported once files are closed
import decimal  # noqa: F401
import json
import math
import os
import re
import resource
import signal
import sys
import uuid  # noqa: F401
from typing import Any

import duckdb

LOCKS = (
    "set temp_directory = ''",
    "set autoinstall_known_extensions = false",
    "set autoload_known_extensions = false",
    "set allow_community_extensions = false",
    "set python_enable_replacements = false",
    "set enable_external_access = false",
    "set lock_configuration = true",
)
READING = {duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN}
_BATCH = 1000
_SPARE_SECONDS = 5
"""The process ends itself so long after its time if nobody else ended it."""
_THREADS = 4
_SPARE_BYTES = 256 << 20
"""Memory of the process beside the database's and the answer's."""


class RefusedError(Exception):
    """The query is refused: `kind` says why, the text in whose words."""

    def __init__(self, kind: str, said: str = "") -> None:
        super().__init__(said)
        self.kind = kind


def main() -> None:
    """Answer the request on standard input with one JSON document on standard output."""
    request = json.load(sys.stdin)
    signal.alarm(math.ceil(request["seconds"]) + _SPARE_SECONDS)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    try:
        answer = json.dumps(_answer(request))
    except RefusedError as error:
        answer = json.dumps({"refused": error.kind, "said": str(error)})
    except MemoryError:
        answer = json.dumps({"refused": "memory", "said": ""})
    sys.stdout.write(answer)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    most_bytes = request["memory"] << 20
    connection = _connection(request)
    try:
        resource.setrlimit(resource.RLIMIT_DATA, (_data_bytes() + 2 * most_bytes + _SPARE_BYTES,) * 2)
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
        connection.execute(_only_statement(connection, request["sql"]))
        return _fetched(connection, request["rows"], most_bytes)
    except duckdb.OutOfMemoryException as error:
        raise RefusedError("memory", str(error)) from None
    except duckdb.PermissionException as error:
        raise RefusedError("outside", str(error)) from None
    except duckdb.Error as error:
        raise RefusedError("invalid", str(error)) from None


def _connection(request: dict[str, Any]) -> duckdb.DuckDBPyConnection:
    """Return a database with the tables, closed to everything else."""
    threads = min(_THREADS, os.cpu_count() or 1)
    connection = duckdb.connect(config={"memory_limit": f"{request['memory']}MiB", "threads": threads})
    try:
        for statement in (*request["tables"], *LOCKS):
            connection.execute(statement)
    except duckdb.OutOfMemoryException as error:
        raise RefusedError("memory", str(error)) from None
    except duckdb.Error as error:
        raise RefusedError("tables", str(error)) from None
    return connection


def _only_statement(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    statements = connection.extract_statements(sql)
    if not statements:
        raise RefusedError("empty")
    if len(statements) > 1:
        raise RefusedError("several", str(len(statements)))
    try:
        kind = statements[0].type
    except ValueError:  # a kind that the database's binding has no name for
        raise RefusedError("writing", "this") from None
    if kind not in READING:
        raise RefusedError("writing", kind.name.lower())
    return statements[0]


def _fetched(connection: duckdb.DuckDBPyConnection, most: int, most_bytes: int) -> dict[str, Any]:
    described = connection.description or ()
    columns = [str(column[0]) for column in described]
    for name, kind in zip(columns, described, strict=True):
        if str(kind[1]) == "TIMESTAMP WITH TIME ZONE":
            said = f"the column {name} has a time zone: make it text, `{name}::varchar`"
            raise RefusedError("invalid", said)
    lines: list[list[Any]] = []
    size = 0
    while batch := connection.fetchmany(min(_BATCH, most + 1 - len(lines))):
        for line in batch:
            lines.append([_plain(value) for value in line])
            size += sum(len(value) if isinstance(value, str) else 8 for value in lines[-1])
        if len(lines) > most:
            raise RefusedError("rows")
        if size > most_bytes:
            raise RefusedError("memory", f"the answer has more than {size >> 20} MiB")
    return {"columns": columns, "lines": lines}


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; what JSON lacks as text."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return value.hex() if isinstance(value, bytes) else str(value)


def _data_bytes() -> int:
    """Return how much memory the process has now; 0 where the system does not say."""
    try:
        with open("/proc/self/status") as file:
            found = re.search(r"VmData:\s*(\d+) kB", file.read())
    except FileNotFoundError:
        return 0
    return int(found[1]) << 10 if found else 0


if __name__ == "__main__":
    main()
