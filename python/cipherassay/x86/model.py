"""The processors of the P6 family: files of limits, latencies and the data cache."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cipherassay.errors import UsageError, nearest

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Model:
    """A processor: name, title, clock, its limits as the engine takes them without and with the cache."""

    name: str
    title: str
    mhz: int
    load: int
    limits: str
    cached: str
    source: str


def names() -> list[str]:
    """Return the names of the processors."""
    return sorted(p.stem for p in _FOLDER.glob("*.toml") if p.stem != "instructions")


@cache
def load(name: str) -> Model:
    """Return a processor; raises UsageError ``X001`` if there is no such one."""
    if name not in names():
        raise UsageError("X001", f"unknown processor `{name}`", help=nearest(name, names()))
    fields = _fields(name)
    limits = fields["limits"]
    return Model(
        name=name,
        title=fields["title"],
        mhz=fields["mhz"],
        load=fields["latencies"]["load"],
        limits=json.dumps(limits),
        cached=json.dumps(limits | {"cache": fields["cache"]}),
        source=fields["source"],
    )


def _fields(name: str) -> dict[str, Any]:
    fields = tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    return _fields(fields["inherits"]) | fields if "inherits" in fields else fields
