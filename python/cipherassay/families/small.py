"""Small processors: `embedded/processors/NAME/processor.toml`, `docs/embedded.md`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.embedded import processors
from cipherassay.errors import AssayError, DescriptionError, Place, ToolError
from cipherassay.families import Entry, Family, InfoTable, Sources, _facts

if TYPE_CHECKING:
    from cipherassay.embedded.build import AssembledCipher
    from cipherassay.families._listing import Listing
    from cipherassay.lang.cipher import Cipher

_WANTED = {
    "": ("title", "isa", "bits"),
    "clock": ("mhz", "clocks"),
    "memory": ("rom", "ram"),
    "registers": ("count", "bits"),
}


class SmallFamily(Family):
    """Processors whose simulators count the cycles of one instruction after the other."""

    def names(self, path: Path | None = None) -> list[str]:
        """Return the names; a user's folder holds none."""
        return processors.names()

    def entry(self, name: str, path: Path | None = None) -> Entry:
        """Return a processor's line of the list."""
        return _facts.entry(self.document(name), order="in order", issue=1)

    def document(self, name: str, path: Path | None = None) -> dict[str, Any]:
        """Return the file's facts, instructions with what they take, simulator and tools."""
        one = processors.load(name)
        more = {"name": name, "simulator": one.simulator, "needs": list(one.needs), "counted": one.inside}
        return _facts.read(_file(name)) | more | {"instructions": one.instructions()}

    def check(self, name: str, path: Path | None = None) -> Sequence[AssayError]:
        """Return what the file lacks, and instructions that take no time."""
        known = _facts.read(_file(name))
        places = [Place(str(_file(name)))]
        idle = [
            DescriptionError("M053", f"the instruction `{one['name']}` takes no time", places=places)
            for one in processors.load(name).instructions()
            if min(value for key, value in one.items() if key in ("cycles", "states")) <= 0
        ]
        return [*_facts.contradictions(known, _WANTED, _file(name)), *idle]

    def listing(self, name: str, cipher: Cipher, operation: str, key_bits: int) -> Listing:
        """Return all functions, rounds in loops; an operation's cycles where the simulator is here.

        Cycles of instructions are those of one execution, branches as not taken; those of other operations
        take nothing.
        """
        from cipherassay.embedded import target
        from cipherassay.families._listing import ListedOperation, Listing, named
        from cipherassay.lang.shapes import function_for

        made = target.make(cipher, key_bits, processor=name)
        files, function = made.program.mirror().files, function_for(operation, made.functions)
        operations = [
            ListedOperation(line, named(places, files), cycles, runs, runs * cycles)
            for name, instructions in made.assembly.instructions.items()
            for line, own_runs, cycles, places in instructions
            for runs in (own_runs if name == function else 0,)
        ]
        return Listing(made.assembly.text, _facts_of(made, function), operations)

    def tables(self, known: dict[str, Any], sources: Sources) -> list[InfoTable]:
        """Return units and instructions."""
        clock, memory, registers = known["clock"], known["memory"], known["registers"]
        cycle = "a clock" if clock["clocks"] == 1 else f"{clock['clocks']} clocks"
        units = [
            ("clock", f"{clock['mhz']:g} MHz, a cycle is {cycle}", sources(clock)),
            ("registers", f"{registers['count']} of {registers['bits']} bits", sources(registers)),
            ("ROM or flash", f"{memory['rom']} bytes", sources(memory)),
            ("RAM", f"{memory['ram']} bytes", sources(memory)),
            ("simulator", known["simulator"], ""),
            ("cycles", known["counted"], ""),
        ]
        shown = [InfoTable("Units", ("what", "how many", "source"), units)]
        if known["instructions"]:
            columns = list(dict.fromkeys(key for one in known["instructions"] for key in one))
            lines = [[one.get(column) for column in columns] for one in known["instructions"]]
            sources(known)
            shown.append(InfoTable("Instructions", columns, lines))
        return shown


def _facts_of(made: AssembledCipher, function: str) -> list[tuple[str, str]]:
    """Return cycles, code and RAM of a function; where a tool is missing, which."""
    from cipherassay.embedded import target
    from cipherassay.lang.shapes import function_for

    try:
        measured = target.measure(made)
    except ToolError as error:
        return [("not measured", error.message)]
    rows = [row for row in measured if function_for(row.operation or "", made.functions) == function]
    units = {"cycles": "", "code_bytes": " bytes", "ram_bytes": " bytes"}
    shown = {
        f"{row.metric.partition('_')[0]}, {row.configuration}": f"{row.value:g}{units[row.metric]}"
        for row in rows
        if row.metric in units
    }
    return list(shown.items())


def _file(name: str) -> Path:
    return processors.folder(name) / "processor.toml"


FAMILY = SmallFamily()
