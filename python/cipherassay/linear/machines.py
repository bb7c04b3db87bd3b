"""Machines: what operations on words cost, one TOML file each in ``machines/``.

Fields: ``title``, ``source``, ``note``; ``issue`` (slots of a cycle); a table ``[operations]`` with those of
``xor``, ``rotate``, ``shift``, ``mask``, ``xor_rotated`` (an exclusive or with a rotated operand),
``double``, ``halve`` (every byte in GF(2^8), times or by x) that the machine has, each a table of

``latency``
    cycles to the result, 1 unless stated;
``slots``
    issue slots taken from its cycle on, 1 unless stated (a doubling is several instructions);

and blocks ``[[limit]]``: ``operations``, of which at most ``at_most`` start in a cycle.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cipherassay.errors import DescriptionError, Place, UsageError, nearest

FOLDER = Path(__file__).parent / "machines"
KINDS = ("xor", "xor_rotated", "rotate", "shift", "mask", "double", "halve")
_FIELDS = {"title", "source", "note", "issue", "operations", "limit"}
MASKS = {
    "none": "no masks and no shifts",
    "alternate": "no shifts; masks of every second byte",
    "all": "every shift by bytes, every mask of bytes",
}
"""Which masks and shifts a search uses, from few to all."""


@dataclass(frozen=True)
class Operation:
    """An operation's cycles to the result, and slots."""

    latency: int = 1
    slots: int = 1


@dataclass(frozen=True)
class Machine:
    """A machine; the module has the fields. `limits`: kinds, and how many of them may start in a cycle."""

    name: str
    title: str
    issue: int
    operations: dict[str, Operation]
    limits: tuple[tuple[tuple[str, ...], int], ...] = ()
    source: str = ""
    note: str = ""

    def as_json(self, bytes_: int, masks: str, *, is_binary: bool) -> str:
        """Return the machine as the engine reads it, for words of so many bytes; `masks`: one of `MASKS`."""
        entries = []
        for kind, operation in self.operations.items():
            if is_binary and kind in ("double", "halve"):
                continue
            group = next((n for n, (kinds, _) in enumerate(self.limits) if kind in kinds), None)
            for name, amount in _amounts(kind, bytes_, masks):
                entry = {"kind": name, "amount": amount, "group": group}
                entries.append(entry | {"latency": operation.latency, "slots": operation.slots})
        groups = [at_most for _, at_most in self.limits]
        return json.dumps({"issue": self.issue, "operations": entries, "groups": groups})

    def stages(self, bytes_: int) -> list[str]:
        """Return the names of `MASKS` that differ on this machine, the last one all that it has."""
        if bytes_ == 1 or not {"shift", "mask"} & self.operations.keys():
            return ["none"]
        return ["none", *(["alternate"] if "mask" in self.operations and bytes_ > 2 else []), "all"]


def _amounts(kind: str, bytes_: int, masks: str) -> list[tuple[str, int]]:
    every = range(1, bytes_)
    if kind in ("rotate", "xor_rotated"):
        return [(kind, n) for n in every]
    if kind == "shift":
        return [(way, n) for way in ("up", "down") for n in every] if masks == "all" else []
    if kind == "mask":
        even = sum(1 << n for n in range(0, bytes_, 2))
        few = {"none": [], "alternate": [even, even << 1]}
        return [(kind, n) for n in few.get(masks, range(1, (1 << bytes_) - 1))]
    return [(kind, 0)]


def names() -> list[str]:
    """Return the machines at hand."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name_or_file: str) -> Machine:
    """Load a machine by name, or from a file.

    Raises
    ------
    UsageError
        ``L210``: there is no such machine.
    DescriptionError
        ``L211``, ``L220`` to ``L224``: its file is wrong.
    """
    if name_or_file.endswith(".toml") and Path(name_or_file).is_file():
        return read(Path(name_or_file))
    if name_or_file not in names():
        raise UsageError("L210", f"unknown machine `{name_or_file}`", help=nearest(name_or_file, names()))
    return read(FOLDER / f"{name_or_file}.toml")


def read(path: Path) -> Machine:
    """Read a machine file; raises `DescriptionError` ``L211``, ``L220`` to ``L224``."""
    try:
        fields: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise DescriptionError("L211", f"{path.name} cannot be read: {error}") from None
    places = [Place(str(path))]
    _only(fields, _FIELDS, "a machine", places)
    for name in ("title", "issue", "operations"):
        if name not in fields:
            raise DescriptionError("L220", f"the machine lacks `{name}`", places=places)
    operations = {}
    if not isinstance(fields["operations"], dict):
        raise DescriptionError("L221", "`operations` is no table", places=places)
    for kind in fields["operations"]:
        _only({kind: 0}, set(KINDS), "a machine", places, "operation")
    for kind in KINDS:
        if kind in fields["operations"]:
            entry = fields["operations"][kind]
            _only(entry, {"latency", "slots"}, f"`{kind}`", places)
            operations[kind] = Operation(**{n: _count(v, n, places) for n, v in entry.items()})
    limits = []
    for entry in _list(fields.get("limit", []), "limit", places):
        _only(entry, {"operations", "at_most"}, "a limit", places)
        named = _list(entry.get("operations"), "operations", places)
        for kind in named:
            _only({str(kind): 0}, set(KINDS), "a limit", places, "operation")
        limits.append((tuple(named), _count(entry.get("at_most"), "at_most", places)))
    texts = {name: str(fields.get(name, "")) for name in ("title", "source", "note")}
    issue = _count(fields["issue"], "issue", places)
    return Machine(path.stem, issue=issue, operations=operations, limits=tuple(limits), **texts)


def _list(value: Any, name: str, places: list[Place]) -> list[Any]:
    if not isinstance(value, list):
        raise DescriptionError("L222", f"`{name}` is no list", places=places)
    return value


def _only(fields: Any, known: set[str], of: str, places: list[Place], what: str = "field") -> None:
    if not isinstance(fields, dict):
        raise DescriptionError("L221", f"{of} is no table", places=places)
    for field in sorted(map(str, fields.keys() - known)):
        raise DescriptionError(
            "L223", f"{of} has no {what} `{field}`", places=places, help=nearest(field, known)
        )


def _count(value: Any, name: str, places: list[Place]) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise DescriptionError("L224", f"`{name}` cannot be {value!r}", places=places, help="1 or more")
    return value
