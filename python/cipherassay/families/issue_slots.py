"""Processors of ports and issue slots: `isas/*.toml`, `processors/*.toml`, `docs/processors.md`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.families import Entry, Family, InfoTable, Sources

if TYPE_CHECKING:
    from cipherassay.errors import AssayError
    from cipherassay.families._listing import Listing
    from cipherassay.lang.cipher import Cipher
    from cipherassay.processors.kernel import Kernel


class IssueSlots(Family):
    """Models with parameters; each is also there as NAME-infinite, without limits."""

    def names(self, path: Path | None = None) -> list[str]:
        """Return the names of the files, without those of infinite ones."""
        from cipherassay import processors

        return processors.names(path)

    def entry(self, name: str, path: Path | None = None) -> Entry:
        """Return a processor's line of the list."""
        known = self.document(name, path)
        return Entry(
            name=known["name"],
            isa=known["isa"]["name"],
            order="out of order" if known["out_of_order"] else "in order",
            issue=known["issue"]["width"],
            mhz=known["clock"]["mhz"] if known["clock"] else None,
            instructions=len(known["isa"]["instructions"]),
            confidence=known["confidence"],
            title=known["title"],
        )

    def document(self, name: str, path: Path | None = None) -> dict[str, Any]:
        """Return what is known of a processor without settings."""
        from cipherassay import processors

        return processors.document(processors.load(name, path=path))

    def listing(self, name: str, cipher: Cipher, operation: str, key_bits: int) -> Listing:
        """Return the schedule of the kept choice or the first that serves, and its places."""
        from cipherassay.families._listing import Block, IssuedOperation, Listing, named, of_schedule
        from cipherassay.processors.quick import quick_kernel

        kernel = quick_kernel(cipher, operation, name, key_bits)
        files = kernel.program.mirror().files
        issued = [
            IssuedOperation(line, named(places, files), block, cycle)
            for line, block, cycle, places in kernel.assembly["origins"]
        ]
        blocks = [Block(iterations, cycles) for iterations, _, cycles in kernel.assembly["blocks"]]
        return Listing(kernel.text, _facts(kernel), list(of_schedule(issued, blocks)))

    def tables(self, known: dict[str, Any], sources: Sources) -> list[InfoTable]:
        """Return parameters, ports, classes, latencies, registers and instructions."""
        parts = (_parameters, _units, _latencies, _isa)
        return [table for part in parts for table in part(known, sources)]

    def check(self, name: str, path: Path | None = None) -> Sequence[AssayError]:
        """Return the contradictions that the engine finds in the files."""
        from cipherassay import processors

        return processors.check(name, path=path)


def _facts(kernel: Kernel) -> list[tuple[str, str]]:
    per_cycle = kernel.operations / kernel.cycles
    facts = [("cycles", str(kernel.cycles))]
    if kernel.planned != kernel.cycles:
        facts.append(("planned", f"{kernel.planned} cycles if every access hits the cache"))
    if kernel.bound is not None:
        facts.append(("bound", f"{kernel.bound}{', reached' if kernel.proved else ''}"))
    return [
        *facts,
        ("operations", f"{kernel.operations}, {per_cycle:.2f} a cycle"),
        ("registers", ", ".join(f"{kind} {notation}" for kind, notation in kernel.registers.items())),
        ("strategy", kernel.choice.strategy),
    ]


def _parameters(known: dict[str, Any], sources: Sources) -> Iterator[InfoTable]:
    yield InfoTable(
        "Parameters",
        ("name", "value", "possible", "meaning", "source"),
        (
            (p["name"], p["value"], " ".join(p["values"]), p["meaning"], sources(p))
            for p in known["parameters"]
        ),
    )
    fits = [_fit(p["name"], fit) for p in known["parameters"] for fit in p["fitted"]]
    if fits:
        columns = ("parameter", "paper", "machine", "ciphers", "operations")
        yield InfoTable("Published cycles that parameters were fitted on", columns, fits)


def _fit(parameter: str, fit: Mapping[str, Any]) -> Sequence[str]:
    chosen = [", ".join(fit[name]) or "all" for name in ("ciphers", "operations")]
    return (parameter, fit["paper"], fit["target"] or "all", *chosen)


def _units(known: dict[str, Any], sources: Sources) -> Iterator[InfoTable]:
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
    yield InfoTable("Units", ("what", "how many", "source"), rows)


def _latencies(known: dict[str, Any], sources: Sources) -> Iterator[InfoTable]:
    yield InfoTable(
        "Classes",
        ("class", "ports", "slots", "latency", "meaning", "source"),
        (
            (c["name"], _ports(c), c["slots"], c["latency"], c["meaning"], sources(c))
            for c in known["classes"]
        ),
    )  # fmt: skip
    yield InfoTable(
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
    yield InfoTable(
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


def _isa(known: dict[str, Any], sources: Sources) -> Iterator[InfoTable]:
    isa = known["isa"]
    yield InfoTable(
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
    yield InfoTable(
        "Instructions",
        ("name", "class", "latency", "form", "semantics", "source"),
        (
            (i["name"], i["class"], latency[i["class"]], i["form"], i["semantics"], sources(i))
            for i in isa["instructions"]
        ),
    )
    yield InfoTable(
        "Recipes",
        ("name", "computes", "steps", "source"),
        ((r["name"], r["computes"], "; ".join(r["steps"]), sources(r)) for r in isa["recipes"]),
    )


FAMILY = IssueSlots()
