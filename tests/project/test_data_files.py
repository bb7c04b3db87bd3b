"""Data files that users may write: a value of any wrong type is an error that they can mend, never a traceback."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from cipherassay.circuits import targets
from cipherassay.errors import AssayError
from cipherassay.hardware.libraries import technology
from cipherassay.linear import machines

WRONG: tuple[Any, ...] = (
    "",
    "x",
    -1,
    0,
    1 << 70,
    1.5,
    float("nan"),
    True,
    [],
    [[]],
    {},
    {"a": {}},
    [{"a": 1}],
)


def written(value: Any) -> str:
    """Return a value as TOML writes it in a line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {written(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return str(value).lower() if isinstance(value, (bool, float)) else json.dumps(value)


def changed(value: Any) -> Iterator[Any]:
    """Yield a document with one value changed or left out, the first two entries of lists only."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield {k: v for k, v in value.items() if k != key}
            yield {**value, "unknown": 1}
            for other in (*WRONG, *changed(part)):
                yield {**value, key: other}
    elif isinstance(value, list):
        for n, part in enumerate(value[:2]):
            for other in (*WRONG, *changed(part)):
                yield [*value[:n], other, *value[n + 1 :]]


FILES: list[tuple[Path, Callable[[Path], Any]]] = [
    (technology.FOLDER / "generic.toml", lambda path: technology.load(str(path))),
    (technology.FOLDER / "osu050.toml", lambda path: technology.load(str(path))),
    (targets.FOLDER / "two-input.toml", targets.read),
    (sorted(targets.FOLDER.glob("*.toml"))[0], targets.read),
    *((path, machines.read) for path in sorted(machines.FOLDER.glob("*.toml"))[:2]),
]


@pytest.mark.parametrize(("path", "read"), FILES, ids=lambda one: getattr(one, "stem", ""))
def test_values_of_wrong_types(path: Path, read: Callable[[Path], Any], tmp_path: Path) -> None:
    document = tomllib.loads(path.read_text())
    refused = 0
    for n, other in enumerate(islice(changed(document), 0, None, 2)):
        place = tmp_path / f"{n}.toml"
        place.write_text("".join(f"{json.dumps(key)} = {written(value)}\n" for key, value in other.items()))
        try:
            read(place)
        except AssayError as error:
            if error.exit_code not in (2, 3):
                raise
            refused += 1
        place.unlink()
    assert refused > 50
