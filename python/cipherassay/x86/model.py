"""The processors of the P6 family: files of limits, latencies, caches and branches."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cipherassay._engine import X86Forms
from cipherassay.errors import UsageError, nearest

_FOLDER = Path(__file__).parent
INSTRUCTIONS = _FOLDER / "instructions.toml"
"""The forms of instructions with their micro-operations, the same for all processors of the family."""
MEANINGS = {
    "decoders": "micro-operations of an instruction that each decoder takes",
    "simple_bytes": "bytes that the decoders but the first take",
    "fetch": "bytes of an aligned block, one of which is fetched a cycle",
    "queue": "micro-operations between decoders and renaming",
    "rename": "micro-operations renamed a cycle",
    "permanent_reads": "registers read a cycle whose values were written before",
    "reorder": "entries of the reorder buffer",
    "stations": "entries of the reservation station",
    "retire": "micro-operations retired a cycle",
    "forward": "cycles of a load of what a store has not brought into the cache yet",
    "partial": "a register written in part is read as a whole when the writer has retired",
}
"""What the limits of a file are."""
LIMITS = tuple(MEANINGS)


@dataclass(frozen=True)
class Text:
    """The instruction cache: all bytes, those of a line, cycles of a miss."""

    bytes: int
    line: int
    miss: int


@dataclass(frozen=True)
class Model:
    """A processor: name, title, clock, load latency, its limits as the engine takes them.

    `limits` are those alone, `looping` with what taken branches cost, `cached` with caches and all branches.
    """

    name: str
    title: str
    mhz: int
    load: int
    limits: str
    looping: str
    cached: str
    text: Text
    source: str


def names() -> list[str]:
    """Return the names of the processors."""
    return sorted(p.stem for p in _FOLDER.glob("*.toml") if p.stem != "instructions")


def file(name: str) -> Path:
    """Return a processor's file."""
    return _FOLDER / f"{name}.toml"


def facts(name: str) -> dict[str, Any]:
    """Return the sections of a processor's file and of what it inherits, each with source and confidence.

    Raises
    ------
    UsageError
        X001: there is no such processor.
    """
    if name not in names():
        raise UsageError("X001", f"unknown processor `{name}`", help=nearest(name, names()))
    known = tomllib.loads(file(name).read_text(encoding="utf-8"))
    own = {key: known[key] for key in ("source", "confidence") if key in known}
    known = {key: own | value if isinstance(value, dict) else value for key, value in known.items()}
    return facts(known["inherits"]) | known if "inherits" in known else known


@cache
def load(name: str) -> Model:
    """Return a processor; raises as `facts`."""
    sections = facts(name)
    known: dict[str, Any] = {k: _numbers(v) if isinstance(v, dict) else v for k, v in sections.items()}
    limits = known["limits"]
    caches = {key: known[key] for key in ("cache", "instruction_cache", "branches")}
    return Model(
        name=name,
        title=known["title"],
        mhz=known["clock"]["mhz"],
        load=known["latencies"]["load"],
        limits=json.dumps(limits),
        looping=json.dumps(limits | {"branches": known["branches"]}),
        cached=json.dumps(limits | caches),
        text=Text(**{name: known["instruction_cache"][name] for name in ("bytes", "line", "miss")}),
        source=known["source"],
    )


@cache
def forms() -> X86Forms:
    """Return the instructions that there are."""
    return X86Forms.parse(INSTRUCTIONS.read_text(encoding="utf-8"))


def instructions() -> list[dict[str, str]]:
    """Return the forms with their micro-operations, source and confidence."""
    known = tomllib.loads(INSTRUCTIONS.read_text(encoding="utf-8"))
    own = {key: known[key] for key in ("source", "confidence")}
    return [{"form": form, "operations": parts} | own for form, parts in known["forms"].items()]


def _numbers(section: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in section.items() if key not in ("source", "confidence")}
