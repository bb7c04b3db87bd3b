"""What the verbs about processors share: the options that name one, and tables of what is known of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.cli._common import output, show_table
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay._engine import Processor

Folder = Annotated[
    Path | None,
    typer.Option("--path", metavar="DIR", help="A folder with more processors and sets of instructions."),
]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Set a parameter of the processor.")
]
Width = Annotated[int | None, typer.Option("--width", help="Issue slots; the same as --set width=N.")]
MemoryPorts = Annotated[
    int | None, typer.Option("--memory-ports", help="Slots that take loads and stores; --set memory_ports=N.")
]
Addressing = Annotated[
    str | None, typer.Option("--addressing", help="How tables are addressed; --set addressing=MODE.")
]


def chosen(
    name: str,
    path: Path | None = None,
    settings: Sequence[str] | None = None,
    *,
    instructions: Path | None = None,
    width: int | None = None,
    memory_ports: int | None = None,
    addressing: str | None = None,
) -> Processor:
    """Load the processor that the options name.

    Raises
    ------
    UsageError
        ``M701`` a setting that is not ``NAME=VALUE``; others as `cipherassay.processors.load`.
    """
    from cipherassay.processors import load

    given = settings_of(settings, width=width, memory_ports=memory_ports, addressing=addressing)
    return load(name, path=path, parameters=given, instructions=instructions)


def settings_of(settings: Sequence[str] | None, **parameters: str | int | None) -> dict[str, str]:
    """Return the parameters that the options set; raises UsageError ``M701``."""
    given = {key: str(value) for key, value in parameters.items() if value is not None}
    for setting in settings or []:
        key, equals, value = setting.partition("=")
        if not equals or not key.strip():
            raise UsageError("M701", f"`{setting}` is not a setting", help="write --set NAME=VALUE")
        given[key.strip()] = value.strip()
    return given


class Sources:
    """Numbers for sources, so that tables stay narrow; they are listed at the end."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def __call__(self, entry: dict[str, Any]) -> str:
        """Return ``documented [2]`` for an entry with ``confidence`` and ``source``."""
        number = self._known.setdefault(entry["source"], len(self._known) + 1)
        return f"{entry['confidence']} [{number}]"

    def lines(self) -> list[str]:
        """Return the list."""
        return [f"[{number}] {source}" for source, number in self._known.items()]


def show_processor(known: dict[str, Any]) -> None:
    """Print ports, classes, latencies, registers and instructions, each with source and confidence."""
    sources = Sources()
    console = output()
    base = f", builds on {known['inherits']}" if known["inherits"] else ""
    console.print(f"{known['name']}: {known['title']} ({known['isa']['title']}{base})", markup=False)
    _parameters(known, sources)
    _units(known, sources)
    _latencies(known, sources)
    _isa(known, sources)
    console.print("Sources", style="bold")
    for line in sources.lines():
        console.print(line, markup=False)


def _table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    body = list(rows)
    if body:
        show_table(columns, body, title=title)


def _parameters(known: dict[str, Any], sources: Sources) -> None:
    _table(
        "Parameters",
        ("name", "value", "possible", "meaning", "source"),
        (
            (p["name"], p["value"], " ".join(p["values"]), p["meaning"], sources(p))
            for p in known["parameters"]
        ),
    )


def _units(known: dict[str, Any], sources: Sources) -> None:
    rows: list[Sequence[Any]] = []
    if known["infinite"]:
        rows.append(("ports", "no limit", ""))
    else:
        rows.append(("ports", " ".join(known["ports"]), sources(known["ports_source"])))
        block = f", in aligned blocks of {known['issue']['block']}" if known["issue"]["block"] else ""
        rows.append(("issue", f"{known['issue']['width']} a cycle{block}", sources(known["issue"])))
    if known["out_of_order"]:
        o = known["out_of_order"]
        pairs = {key: "+".join(map(str, o[key])) for key in ("entries", "launch", "retire")}
        text = (
            f"{o['insert']} inserted, {pairs['entries']} entries, {pairs['launch']} launched, "
            f"{pairs['retire']} retired, {o['stores']} of them a store; "
            f"store to load {o['store_to_load']} cycles"
        )
        rows.append(("out of order", text, sources(o)))
    if known["banks"]:
        banks = known["banks"]
        rows.append(("data cache", f"{banks['count']} banks of {banks['bytes']} bytes", sources(banks)))
    if known["cache"]:
        cache = known["cache"]
        text = f"{cache['bytes']} bytes, {cache['ways']} way, lines of {cache['line']} bytes"
        rows.append(("data cache", f"{text}; {cache['miss']} cycles if missed", sources(cache)))
    if known["clock"]:
        rows.append(("clock", f"{known['clock']['mhz']} MHz", sources(known["clock"])))
    _table("Units", ("what", "how many", "source"), rows)


def _latencies(known: dict[str, Any], sources: Sources) -> None:
    _table(
        "Classes",
        ("class", "ports", "slots", "latency", "meaning", "source"),
        (
            (c["name"], _ports(c), c["slots"], c["latency"], c["meaning"], sources(c))
            for c in known["classes"]
        ),
    )  # fmt: skip
    _table(
        "Latencies between classes (the last that fits holds)",
        ("from", "to", "latency", "source"),
        (
            (
                _end(b["from"], b["output"], known),
                _end(b["to"], b["operand"], known),
                b["latency"],
                sources(b),
            )
            for b in known["bypasses"]
        ),
    )
    _table(
        "Limits a cycle",
        ("ports", "at most", "of"),
        ((cap["name"], cap["limit"], _taken(cap["takes"])) for cap in known["caps"]),
    )


def _ports(c: dict[str, Any]) -> str:
    return " ".join(c["ports"]) + "".join(f" and {' '.join(mask)}" for mask in c["second"])


def _end(classes: list[str], operand: str | None, known: dict[str, Any]) -> str:
    every = [c["name"] for c in known["classes"]]
    missing = [name for name in every if name not in classes]
    text = "all but " + " ".join(missing) if 0 < len(missing) < len(every) // 2 else " ".join(classes)
    text = text if missing else "all"
    return f"{text} ({operand})" if operand else text


def _taken(takes: dict[str, int]) -> str:
    return " ".join(name if slots == 1 else f"{name} (twice)" for name, slots in takes.items())


def _isa(known: dict[str, Any], sources: Sources) -> None:
    isa = known["isa"]
    _table(
        "Registers",
        ("class", "bits", "usable", "rotating", "to be saved", "zero", "source"),
        (
            (
                r["name"], r["bits"], len(r["usable"]), len(r["rotating"]), len(r["saved"]), r["zero"] or "",
                sources(r),
            )
            for r in isa["registers"]
        ),
    )  # fmt: skip
    latency = {c["name"]: c["latency"] for c in known["classes"]}
    _table(
        "Instructions",
        ("name", "class", "latency", "form", "semantics", "source"),
        (
            (i["name"], i["class"], latency[i["class"]], i["form"], i["semantics"], sources(i))
            for i in isa["instructions"]
        ),
    )
    _table(
        "Recipes",
        ("name", "computes", "steps", "source"),
        ((r["name"], r["computes"], "; ".join(r["steps"]), sources(r)) for r in isa["recipes"]),
    )
