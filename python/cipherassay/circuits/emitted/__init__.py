"""Checks of emitted circuits: every text is run on all inputs by tools or interpreters of its own language.

A checker takes texts of one language and returns one `Run` per tool: the values that each text computed, or
why the tool could not be used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cipherassay.circuits.boxes import Box
from cipherassay.errors import UsageError, VerificationError, nearest

Values = tuple[int, ...]


@dataclass(frozen=True)
class EmittedText:
    """A text that claims to compute a box."""

    text: str
    language: str
    box: Box


@dataclass(frozen=True)
class Run:
    """What one tool found: the values of each text at inputs 0, 1, …, or why it was not used."""

    tool: str
    """Name, version and flags: ``gcc 12.2.0 -O1``."""
    values: tuple[Values, ...] = ()
    skipped: str = ""
    only_accepts: bool = False
    """True for a tool that checks the form of a text but computes nothing: an assembler."""


@dataclass(frozen=True)
class Proof:
    """How an emitted text was shown to compute its box."""

    language: str
    box: str
    inputs: int
    """Number of input values, all of which were tried."""
    tools: tuple[str, ...]
    """Each of these agreed with the truth table on every input."""
    accepted_by: tuple[str, ...] = ()
    """Each of these checked the form of the text, without running it."""
    skipped: tuple[str, ...] = ()
    """What was not tried, with the reason."""

    @property
    def proved(self) -> bool:
        """Whether at least one tool ran the text."""
        return bool(self.tools)

    def __str__(self) -> str:
        shown = f"{self.box} as {self.language}: equal on all {self.inputs} inputs by {', '.join(self.tools)}"
        if not self.tools:
            shown = f"{self.box} as {self.language}: not run"
        accepted = [f"accepted by {tool}" for tool in self.accepted_by]
        return "; ".join([shown, *accepted, *(f"skipped: {reason}" for reason in self.skipped)])


Checker = Callable[[Sequence[EmittedText]], list[Run]]


def checkers() -> dict[str, Checker]:
    """Return the checker of every language."""
    from cipherassay.circuits.emitted import equations, hardware, ia64, native, pa_risc, programs

    return {
        "c": native.run_c,
        "c-avx2": native.run_avx2,
        "c-avx512": native.run_avx512,
        "x86": native.run_x86,
        "ia64": ia64.run_ia64,
        "pa-risc": pa_risc.run_pa_risc,
        "verilog": hardware.run_verilog,
        "vhdl": hardware.run_vhdl,
        "program": programs.run_program,
        "equations": equations.run_equations,
    }


def prove(items: Sequence[EmittedText]) -> list[Proof]:
    """Run the texts, language by language, and compare with the boxes' truth tables; raises as `check`."""
    known = checkers()
    proofs: dict[int, Proof] = {}
    for language in dict.fromkeys(item.language for item in items):
        if language not in known:
            raise UsageError(
                "C401", f"circuits are not written in `{language}`", help=nearest(language, known)
            )
        places = [n for n, item in enumerate(items) if item.language == language]
        group = [items[n] for n in places]
        runs = known[language](group)
        proofs |= {n: _proof(item, k, runs) for k, (n, item) in enumerate(zip(places, group, strict=True))}
    return [proofs[n] for n in range(len(items))]


def _proof(item: EmittedText, place: int, runs: Sequence[Run]) -> Proof:
    used = [run for run in runs if not run.skipped and not run.only_accepts]
    for run in used:
        _compare(item, run.values[place], run.tool)
    return Proof(
        item.language,
        item.box.name,
        len(item.box.data),
        tuple(run.tool for run in used),
        tuple(run.tool for run in runs if run.only_accepts and not run.skipped),
        tuple(f"{run.tool}: {run.skipped}" for run in runs if run.skipped),
    )


def _compare(item: EmittedText, values: Values, tool: str) -> None:
    if len(values) == len(item.box.data):
        pairs = zip(values, item.box.data, strict=True)
        wrong = next((v for v, (got, want) in enumerate(pairs) if got != want), None)
        if wrong is None:
            return
        notes = [f"first differing input: {wrong}; text: {values[wrong]}; box: {item.box.data[wrong]}"]
    else:
        notes = [f"values computed: {len(values)}; of the box: {len(item.box.data)}"]
    message = f"the {item.language} text of {item.box.name} does not compute the box"
    raise VerificationError("C410", message, notes=[*notes, f"run by {tool}"])


def refused(item: EmittedText | None, language: str, tool: str, words: Sequence[str]) -> VerificationError:
    """Return the error for a text that a tool does not accept, with the tool's own words."""
    of = f" of {item.box.name}" if item else ""
    return VerificationError("C411", f"{tool} refuses the {language} text{of}", notes=list(words)[:12])
