"""Technologies: cells with areas and transistors, the Liberty file that times them, how to mend it."""

from __future__ import annotations

import tomllib
from dataclasses import MISSING, dataclass, field, fields
from functools import cache, lru_cache
from itertools import permutations
from pathlib import Path
from typing import Any, TypeVar

from cipherassay import tools
from cipherassay.circuits.functions import truth_table
from cipherassay.errors import AssayError, DescriptionError, Place, ToolError, UsageError, nearest
from cipherassay.hardware.libraries.characterization_recipe import Characterization, Device, Package
from cipherassay.hardware.libraries.logical_effort import Gate, LogicalEffort, State
from cipherassay.records import misfits

FOLDER = Path(__file__).parents[2] / "technologies"
TIMERS = ("opensta", "own")
CONFIDENCES = ("documented", "measured", "estimated", "guessed")


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A combinational cell; capacitances in fF per pin, the delay under the load and slope of `Delay`."""

    name: str
    pins: tuple[str, ...]
    area_um2: float
    transistors: int
    function: str = ""
    output: str = ""
    functions: dict[str, str] = field(default_factory=dict)
    pin_capacitance_ff: tuple[float, ...] = ()
    delay_ns: float | None = None

    def outputs(self) -> dict[str, str]:
        """Return the function of each output."""
        return self.functions or {self.output: self.function}

    def table(self, output: str) -> int:
        """Return an output's truth table: bit `i` for the inputs whose first is the lowest bit of `i`."""
        return _table(self.outputs()[output], self.pins)

    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """Return how else nets may be put to its inputs: the one at input `i` to input ``order[i]``."""
        return _symmetries(tuple(self.outputs().values()), self.pins)


@lru_cache(maxsize=512)
def _table(function: str, pins: tuple[str, ...]) -> int:
    return truth_table(function, pins, Place("the technology"))


@lru_cache(maxsize=512)
def _symmetries(functions: tuple[str, ...], pins: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    rows = range(1 << len(pins))

    def moved(row: int, order: tuple[int, ...]) -> int:
        return sum((row >> n & 1) << at for n, at in enumerate(order))

    def holds(table: int, order: tuple[int, ...]) -> bool:
        return all(table >> row & 1 == table >> moved(row, order) & 1 for row in rows)

    tables = [_table(function, pins) for function in functions]
    orders = list(permutations(range(len(pins))))[1:]
    return tuple(order for order in orders if all(holds(table, order) for table in tables))


@dataclass(frozen=True, kw_only=True)
class Register:
    """A cell with a state: a flip-flop (the clock's edge) or a latch (the level at which it is open)."""

    name: str
    kind: str
    clock: str
    active: str
    data: str
    output: str
    area_um2: float
    transistors: int
    clear: str = ""
    preset: str = ""


@dataclass(frozen=True, kw_only=True)
class Fix:
    """One change of the Liberty file and its reason: an attribute, cells removed, negative delays."""

    reason: str
    cell: str = ""
    attribute: str = ""
    found: float | None = None
    value: float | None = None
    remove: tuple[str, ...] = ()
    clamp_negative: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Liberty:
    """Where the library's files are, which units they must have, and what is mended in a copy.

    A generated file is written by `generic_library`; without a LEF or SPICE file nothing is compared with it.
    `verilog` holds models of the cells with delays that an SDF file replaces.
    """

    file: str
    time_unit: str
    capacitance_unit: str
    lef: str = ""
    spice: str = ""
    verilog: str = ""
    generated: bool = False
    fix: tuple[Fix, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Synthesis:
    """What mapping and timing need: cells that drive, the load of an output, cells for buffer trees.

    `clock_gate` is an AND of two inputs that lets the clock through to latches, so that mapping does not make
    anything else of it; empty: the library has none.
    `timer` says what times netlists: ``opensta``, or ``own`` (`static_timing`), which needs no tool.
    """

    driver: str
    input_driver: str
    load_ff: float
    flip_flop: str
    latch: str
    buffers: tuple[str, ...]
    inverter: str
    timer: str = "opensta"
    clock_gate: str = ""


@dataclass(frozen=True, kw_only=True)
class Fpga:
    """A field-programmable gate array: its tool and options, Yosys's command, what stands for what.

    `lut`, `flip_flop` (how their names begin) and `carry` are types of Yosys's netlist, `clock_pin` the
    clock's pin of flip-flops; `site` is a logic cell in nextpnr's report, of which there are `logic_cells`.
    """

    tool: str
    synthesis: str
    options: tuple[str, ...]
    seeds: tuple[int, ...]
    logic_cells: int
    site: str
    lut: tuple[str, ...]
    flip_flop: str
    carry: tuple[str, ...]
    clock_pin: str


@dataclass(frozen=True, kw_only=True)
class Obtain:
    """The package that holds the library's files."""

    debian: str = ""
    pypi: str = ""

    def how(self) -> str:
        """Return the line that installs it; empty if nothing has to be."""
        if self.debian:
            return f"apt-get install {self.debian}"
        return f"pip install {self.pypi}" if self.pypi else ""


@dataclass(frozen=True, kw_only=True)
class Corner:
    """The conditions for which the library was characterized."""

    process: str
    voltage_v: float
    temperature_c: float


@dataclass(frozen=True, kw_only=True)
class Delay:
    """The conditions of the cells' `delay_ns`."""

    load_ff: float
    slope_ns: float
    source: str
    confidence: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Technology:
    """A technology as its file says; `file` is that file.

    Where `area_unit` is ``GE``, the cells' areas count gate equivalents.
    """

    title: str
    process: str
    library: str
    source: str
    confidence: str
    gate_equivalent: str = ""
    cell: tuple[Cell, ...] = ()
    obtain: Obtain = Obtain()
    note: str = ""
    area_unit: str = "µm²"
    circuits: bool = True
    corner: Corner | None = None
    delay: Delay | None = None
    liberty: Liberty | None = None
    synthesis: Synthesis | None = None
    register: tuple[Register, ...] = ()
    logical_effort: LogicalEffort | None = None
    fpga: Fpga | None = None
    characterization: Characterization | None = None
    file: Path = Path()

    @property
    def name(self) -> str:
        """Its name: the file's."""
        return self.file.stem

    @property
    def gate_equivalent_um2(self) -> float:
        """Area of the cell that counts as one gate equivalent."""
        return self.costs()[self.gate_equivalent].area_um2

    def costs(self) -> dict[str, Cell | Register]:
        """Return every cell by its name: area and transistors are in it."""
        every: list[Cell | Register] = [*self.cell, *self.register]
        return {one.name: one for one in every}

    def timed(self) -> tuple[Liberty, Synthesis]:
        """Return what synthesis needs.

        Raises
        ------
        UsageError
            ``H603``: the technology has no timing.
        """
        if self.liberty is None or self.synthesis is None:
            raise UsageError(
                "H603",
                f"the technology `{self.name}` has no timing library",
                help=f"those that have one: {', '.join(n for n in names() if load(n).liberty is not None)}",
            )
        return self.liberty, self.synthesis

    def field_programmable(self) -> Fpga:
        """Return what place and route needs; raises UsageError ``H610``: it is no gate array."""
        if self.fpga is None:
            raise UsageError(
                "H610",
                f"`{self.name}` is no field-programmable gate array",
                help=f"those that are: {', '.join(n for n in names() if load(n).fpga is not None)}",
            )
        return self.fpga

    def library_text(self) -> str:
        """Return the text of its Liberty file, before it is mended; raises ToolError ``H605``."""
        known, _ = self.timed()
        if known.generated:
            from cipherassay.hardware.libraries import generic_library

            return generic_library.text(self)
        return self.read(known.file)

    def here(self) -> bool:
        """Return whether its Liberty file, or its tool for place and route, is on this machine."""
        if self.fpga is not None:
            return bool(tools.locate(self.fpga.tool))
        one = self.liberty
        return one is not None and (one.generated or (self.file.parent / one.file).is_file())

    def read(self, path: str) -> str:
        """Return the text of one of the library's files; a relative path starts at the technology's file.

        Raises
        ------
        ToolError
            ``H605``: it is not there; says the package.
        """
        try:
            return (self.file.parent / path).read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise ToolError(
                "H605",
                f"`{path}` of the technology `{self.name}` cannot be read",
                notes=[error.strerror or str(error)],
                help=self.obtain.how(),
            ) from None


def names() -> list[str]:
    """Return the names of all technologies."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name_or_file: str) -> Technology:
    """Return a technology by its name or its file.

    Raises
    ------
    UsageError
        ``H602``: there is none of that name.
    DescriptionError
        ``H601``: its file is wrong.
    """
    path = Path(name_or_file) if name_or_file.endswith(".toml") else FOLDER / f"{name_or_file}.toml"
    if not path.is_file():
        raise UsageError("H602", f"unknown technology `{name_or_file}`", help=nearest(name_or_file, names()))
    return _load(path.absolute(), path.stat().st_mtime_ns)


@cache
def _load(path: Path, _changed: int) -> Technology:
    try:
        known = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _wrong(path, f"the technology file cannot be read: {error}", "") from None
    tables: dict[str, type[Any]] = {
        "obtain": Obtain, "corner": Corner, "delay": Delay, "liberty": Liberty, "synthesis": Synthesis,
        "fpga": Fpga,
    }  # fmt: skip
    made: dict[str, Any] = {**known, "file": path}
    if "liberty" in known:
        liberty = _fields_of(known["liberty"], "[liberty]", path)
        fixes = _list(Fix, liberty.get("fix", []), "liberty.fix", path)
        known["liberty"] = {**known["liberty"], "fix": fixes}
    for name, kind in tables.items():
        if name in known:
            made[name] = _build(kind, known[name], f"[{name}]", path)
    made["cell"] = _list(Cell, known.get("cell", []), "cell", path)
    made["register"] = _list(Register, known.get("register", []), "register", path)
    if "logical_effort" in known:
        _by_logical_effort(made, known["logical_effort"], path)
    if "characterization" in known:
        made["characterization"] = _recipe(known["characterization"], path)
    technology = _build(Technology, made, "the file", path)
    _sound(technology, path)
    return technology


def _by_logical_effort(made: dict[str, Any], entries: Any, path: Path) -> None:
    """Add the cells that follow from structures."""
    from cipherassay.hardware.libraries import generic_library

    entries = _fields_of(entries, "[logical_effort]", path)
    entries = {
        **entries,
        "gate": _list(Gate, entries.get("gate", []), "logical_effort.gate", path),
        "state": _list(State, entries.get("state", []), "logical_effort.state", path),
    }
    made["logical_effort"] = _build(LogicalEffort, entries, "[logical_effort]", path)
    try:
        cells, registers = generic_library.cells(made["logical_effort"], _at(path))
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise _wrong(path, f"no cells follow from [logical_effort]: {error}", "") from None
    made["cell"] += cells
    made["register"] += registers


def _recipe(entries: Any, path: Path) -> Characterization:
    where = "characterization"
    entries = _fields_of(entries, f"[{where}]", path)
    entries = {
        **entries,
        "package": _list(Package, entries.get("package", []), f"{where}.package", path),
        "device": _list(Device, entries.get("device", []), f"{where}.device", path),
    }
    return _build(Characterization, entries, f"[{where}]", path)


def _sound(technology: Technology, path: Path) -> None:
    """Refuse names that no cell has and words outside their vocabulary."""
    costs = technology.costs()
    named = [technology.gate_equivalent] if technology.fpga is None else []
    if technology.synthesis is not None:
        one = technology.synthesis
        named += [one.driver, one.input_driver, one.flip_flop, one.latch, one.inverter, *one.buffers]
        named += [one.clock_gate] if one.clock_gate else []
    for name in named:
        if name not in costs:
            raise _wrong(path, f"there is no cell `{name}`", nearest(name, costs))
    if technology.synthesis is not None and technology.synthesis.timer not in TIMERS:
        timer = technology.synthesis.timer
        raise _wrong(path, f"unknown timer `{timer}`", nearest(timer, TIMERS))
    if technology.confidence not in CONFIDENCES:
        said = technology.confidence
        raise _wrong(path, f"unknown confidence `{said}`", nearest(said, CONFIDENCES))
    if len(costs) != len(technology.cell) + len(technology.register):
        raise _wrong(path, "two cells have the same name", "")


T = TypeVar("T")


def _list(kind: type[T], entries: Any, where: str, path: Path) -> tuple[T, ...]:
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise _wrong(path, f"[[{where}]] is no list of tables", "")
    return tuple(
        _build(kind, entry, f"[[{where}]] {entry.get('name', number)}", path)
        for number, entry in enumerate(entries, 1)
    )


def _fields_of(entries: Any, where: str, path: Path) -> dict[str, Any]:
    if not isinstance(entries, dict):
        raise _wrong(path, f"{where} is no table", "")
    return entries


def _build(kind: type[T], entries: Any, where: str, path: Path) -> T:
    entries = _fields_of(entries, where, path)
    known = {one.name: one for one in fields(kind)}  # type: ignore[arg-type]
    for name in entries:
        if name not in known:
            raise _wrong(path, f"{where} has an unknown field `{name}`", nearest(name, known))
    absent = [
        name
        for name, one in known.items()
        if name not in entries and one.default is MISSING and one.default_factory is MISSING
    ]
    if absent:
        raise _wrong(path, f"{where} lacks `{absent[0]}`", "")
    for name, fault in misfits(kind, entries).items():
        raise _wrong(path, f"`{name}` of {where} has another type: {fault}", "")
    return kind(**{name: _tuples(value) for name, value in entries.items()})


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _wrong(path: Path, message: str, help: str) -> AssayError:
    return DescriptionError("H601", message, places=[_at(path)], help=help)


def _at(path: Path) -> Place:
    return Place(path.name)
