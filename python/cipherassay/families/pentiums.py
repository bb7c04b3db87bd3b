"""The Pentiums of the P6 family: `x86/NAME.toml` and `x86/instructions.toml`, `docs/x86.md`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.errors import AssayError, DescriptionError, Place
from cipherassay.families import Entry, Family, InfoTable, Sources, _facts
from cipherassay.x86 import model

if TYPE_CHECKING:
    from cipherassay.families._listing import Listing
    from cipherassay.lang.cipher import Cipher

_CACHE = ("bytes", "line", "ways", "miss")
_WANTED = {
    "": ("title",),
    "limits": model.LIMITS,
    "latencies": ("load",),
    "clock": ("mhz",),
    "cache": _CACHE,
    "instruction_cache": _CACHE,
    "branches": ("taken", "mispredicted"),
}
_CACHES = {"cache": "data cache", "instruction_cache": "instruction cache"}


class Pentiums(Family):
    """Processors of micro-operations."""

    def names(self, path: Path | None = None) -> list[str]:
        """Return the names; a user's folder holds none."""
        return model.names()

    def entry(self, name: str, path: Path | None = None) -> Entry:
        """Return a processor's line of the list."""
        known = self.document(name)
        return _facts.entry(known, order="out of order", issue=known["limits"]["rename"])

    def document(self, name: str, path: Path | None = None) -> dict[str, Any]:
        """Return the file's sections with what it inherits, and the micro-operations of instructions."""
        return model.facts(name) | {"name": name, "isa": "x86-32", "instructions": model.instructions()}

    def check(self, name: str, path: Path | None = None) -> Sequence[AssayError]:
        """Return what a file lacks, caches that are no whole sets, instructions that no decoder takes."""
        known, file = self.document(name), model.file(name)
        found = _facts.contradictions(known, _WANTED, file)
        places = [Place(str(file))]
        for key, title in _CACHES.items():
            cache = known.get(key, {})
            if all(cache.get(one) for one in _CACHE) and cache["bytes"] % (cache["line"] * cache["ways"]):
                found.append(
                    DescriptionError(
                        "M054",
                        f"the {title} is not of whole sets",
                        places=places,
                        notes=[
                            f"{cache['bytes']} bytes, lines of {cache['line']} bytes, {cache['ways']} ways"
                        ],
                    )
                )
        decoders = known.get("limits", {}).get("decoders", [0])
        for one in known["instructions"]:
            count = len(one["operations"].split())
            if count > decoders[0]:
                message = (
                    f"`{one['form']}` has {count} micro-operations, the first decoder takes {decoders[0]}"
                )
                found.append(DescriptionError("M055", message, places=[Place(str(model.INSTRUCTIONS))]))
        return found

    def listing(self, name: str, cipher: Cipher, operation: str, key_bits: int) -> Listing:
        """Return the kernel of one strategy in one order; cycles are those in which instructions retire."""
        from cipherassay.families._listing import ListedOperation, Listing, named
        from cipherassay.x86.kernel import profile, quick
        from cipherassay.x86.text import source

        kernel = quick(cipher, operation, model.load(name), key_bits=key_bits)
        facts = [
            ("cycles", f"{kernel.fitted.cycles:g} if every access hits the caches"),
            ("micro-operations", str(kernel.fitted.operations)),
            ("code", f"{len(kernel.code)} instructions, {kernel.code_bytes} bytes"),
            ("tables", f"{kernel.table_bytes} bytes"),
            ("spilled", f"{kernel.fitted.spilled} bytes"),
            ("strategy", kernel.strategy),
        ]
        files = kernel.program.mirror().files
        text = source([kernel])
        begin = text.splitlines().index(f".Lbegin_{operation}:") + 2
        code = [n for n, line in enumerate(kernel.fitted.lines) if not line.endswith(":")]
        operations = [
            ListedOperation(begin + n, named(kernel.fitted.places[n], files), retired, runs, cycles)
            for n, (runs, cycles, retired) in zip(code, profile(kernel), strict=True)
        ]
        return Listing(text, facts, operations)

    def tables(self, known: dict[str, Any], sources: Sources) -> list[InfoTable]:
        """Return limits, caches, branches and instructions."""
        limits = known["limits"]
        units: list[Sequence[Any]] = [
            (meaning, _value(limits[name]), sources(limits)) for name, meaning in model.MEANINGS.items()
        ]
        units.append(("cycles of a load", known["latencies"]["load"], sources(known["latencies"])))
        for key, title in _CACHES.items():
            cache = known[key]
            text = f"{cache['bytes']} bytes, {cache['ways']} ways, lines of {cache['line']} bytes"
            units.append((title, f"{text}; {cache['miss']} cycles if missed", sources(cache)))
        branches = known["branches"]
        text = f"{branches['taken']} cycles of fetching if taken, {branches['mispredicted']} if mispredicted"
        units.append(("branches", text, sources(branches)))
        units.append(("clock", f"{known['clock']['mhz']} MHz", sources(known["clock"])))
        lines = [(one["form"], one["operations"], sources(one)) for one in known["instructions"]]
        return [
            InfoTable("Units", ("what", "how many", "source"), units),
            InfoTable("Instructions", ("form", "micro-operations: ports, latency", "source"), lines),
        ]


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


FAMILY = Pentiums()
