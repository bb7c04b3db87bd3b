"""Targets: gate sets and machines, one TOML file each in ``targets/``.

Fields: ``title``, ``source``, ``note``; ``objective`` (metrics, the most important first); ``issue_width``
(absent: as many as are ready), ``registers`` (absent: as many as are needed), ``two_operand`` (the result
replaces the first operand); and blocks ``[[operation]]``:

``name``
    As processor files call it: not, and, or, xor, andcm (a & ~b), orcm, nand, nor, xnor, ternary, move.
``function``
    An expression in a, b, c, d, or ``"any"`` for every function of ``arity`` operands (a number or a list).
``latency``, ``size``
    Cycles (or levels) to the result, 1 unless stated; gates, instructions or area, 1 unless stated.

``cells:NAME`` is a target too: the cells of the technology NAME.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from cipherassay.circuits import cells
from cipherassay.circuits.functions import OPERANDS, truth_table, used_operands
from cipherassay.circuits.metrics import METRICS
from cipherassay.errors import DescriptionError, Place, UsageError, nearest
from cipherassay.records import misfits

FOLDER = Path(__file__).parent / "targets"
_FIELDS = {
    "title", "source", "note", "objective", "issue_width", "registers", "two_operand", "operation",
}  # fmt: skip
_OPERATION_FIELDS = {"name", "function", "arity", "latency", "size"}


@dataclass(frozen=True)
class Operation:
    """An operation: `table` has bit ``a0 + 2 a1 + …``; None is every function of `arity` operands."""

    name: str
    arity: int
    table: int | None
    latency: int = 1
    size: float = 1.0


@dataclass(frozen=True)
class Target:
    """A gate set or a machine; see the module for the fields."""

    name: str
    title: str
    operations: tuple[Operation, ...]
    objective: tuple[str, ...]
    issue_width: int | None = None
    registers: int | None = None
    two_operand: bool = False
    source: str = ""
    note: str = ""

    def full_objective(self, metrics: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Return the metrics asked for, then those of the target's own objective that are not among them."""
        return (*metrics, *(metric for metric in self.objective if metric not in metrics))

    def as_json(self) -> str:
        """Return the target as the engine reads it."""
        return self._json

    @cached_property
    def _json(self) -> str:
        fields = asdict(self)
        del fields["source"], fields["note"]
        return json.dumps(fields, sort_keys=True)

    @property
    def gate_equivalent(self) -> float | None:
        """The area of a technology's smallest two-input NAND gate; None for other targets."""
        if not self.name.startswith("cells:"):
            return None
        return min((o.size for o in self.operations if (o.arity, o.table) == (2, 0b0111)), default=None)

    @property
    def file_name(self) -> str:
        """The name as files of the library have it."""
        return self.name.replace(":", "-")


def names() -> list[str]:
    """Return the names of all targets, those of technologies last."""
    return [*sorted(path.stem for path in FOLDER.glob("*.toml")), *(f"cells:{n}" for n in cells.names())]


@cache
def find(name_or_file: str) -> Target:
    """Return a target by its name, or from a file ``*.toml``.

    Raises
    ------
    UsageError
        ``C203``: there is none of that name.
    DescriptionError
        ``C201``, ``C206`` to ``C209``, ``C214`` to ``C216``: its file is wrong; ``C204``: so is a function
        in it.
    """
    if name_or_file.startswith("cells:") and name_or_file in names():
        return _of_cells(name_or_file.removeprefix("cells:"))
    if name_or_file.endswith(".toml") and Path(name_or_file).is_file():
        return read(Path(name_or_file))
    if name_or_file in names():
        return read(FOLDER / f"{name_or_file}.toml")
    raise UsageError("C203", f"unknown target `{name_or_file}`", help=nearest(name_or_file, names()))


def _of_cells(technology: str) -> Target:
    title, source, found = cells.read(technology)
    operations = tuple(Operation(name, inputs, table, 1, area) for name, inputs, table, area in found)
    return Target(
        f"cells:{technology}", f"Standard cells: {title}", operations, ("area_um2", "depth"), source=source
    )


def read(path: Path) -> Target:
    """Read a target file; raises the errors of `find`'s files."""
    try:
        fields: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise DescriptionError("C201", f"{path.name} cannot be read: {error}") from None
    place = Place(str(path))
    _only(fields, _FIELDS, {"title", "objective", "operation"}, place)
    entries = fields.pop("operation")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise DescriptionError("C206", "`operation` is no list of tables", places=[place])
    operations = [one for entry in entries for one in _operations(entry, place)]
    for field, fault in misfits(Target, fields).items():
        raise DescriptionError("C207", f"`{field}` has another type: {fault}", places=[place])
    for metric in fields["objective"]:
        if metric not in METRICS:
            message = f"the objective has no metric `{metric}`"
            raise DescriptionError("C214", message, places=[place], help=nearest(metric, METRICS))
    fields["objective"] = tuple(fields["objective"])
    return Target(name=path.stem, operations=tuple(operations), **fields)


def _operations(entry: dict[str, Any], place: Place) -> list[Operation]:
    _only(entry, _OPERATION_FIELDS, {"name", "function"}, place)
    name, function = str(entry["name"]), str(entry["function"])
    rest: dict[str, Any] = {key: entry[key] for key in ("latency", "size") if key in entry}
    for field, fault in misfits(Operation, rest).items():
        raise DescriptionError("C208", f"`{field}` of `{name}` has another type: {fault}", places=[place])
    arity = entry.get("arity", 2 if function == "any" else _arity(function))
    arities = arity if isinstance(arity, list) and function == "any" else [arity]
    if not all(type(n) is int and 1 <= n <= len(OPERANDS) for n in arities):
        raise DescriptionError(
            "C209", f"`arity` of `{name}` cannot be {arity!r}", places=[place], help=f"1 to {len(OPERANDS)}"
        )
    if function == "any":
        return [Operation(name, n, None, **rest) for n in arities]
    operands = OPERANDS[:arity]
    return [Operation(name, len(operands), truth_table(function, operands, place), **rest)]


def _arity(function: str) -> int:
    try:
        used = used_operands(function)
    except SyntaxError:
        return len(OPERANDS)
    return OPERANDS.index(used[-1]) + 1 if used and used[-1] in OPERANDS else len(OPERANDS)


def _only(fields: dict[str, Any], known: set[str], needed: set[str], place: Place) -> None:
    for field in sorted(fields.keys() - known):
        raise DescriptionError(
            "C215", f"a target has no field `{field}`", places=[place], help=nearest(field, known)
        )
    for field in sorted(needed - fields.keys()):
        raise DescriptionError("C216", f"the target lacks `{field}`", places=[place])
