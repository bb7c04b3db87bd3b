"""The head of a circuit's text: what it is of, what it costs, how good that is known to be, its origin."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from cipherassay.errors import DescriptionError, Place

FIELDS = (
    "table", "target", "objective", "metrics", "proof", "effort", "published", "origin", "source",
    "note", "registers", "inputs", "outputs",
)  # fmt: skip
"""The lines of a head, in their order."""

_HEAD = re.compile(r"circuit\s+([\w.:-]+)\s*:\s*(\d+)\s*->\s*(\d+)\s*$")


@dataclass(frozen=True)
class Document:
    """A circuit's text in parts: head lines by their word, and the equations as they are written."""

    name: str
    inputs: int
    outputs: int
    head: Mapping[str, str] = field(default_factory=dict)
    equations: tuple[str, ...] = ()

    @property
    def objective(self) -> tuple[str, ...]:
        """The metrics made small, the most important first."""
        return tuple(self.head.get("objective", "").split())

    @property
    def metrics(self) -> dict[str, float]:
        """The metrics that the head states."""
        return _numbers(self.head.get("metrics", ""))

    @property
    def published(self) -> dict[str, float]:
        """The published counts that the head states."""
        return _numbers(self.head.get("published", "").partition("(")[0])

    @property
    def proof(self) -> Proof:
        """What is known of how good it is."""
        return Proof(self.head.get("proof", "best found"))

    def with_head(self, **lines: str) -> Document:
        """Return the document with these head lines; an empty text takes a line away."""
        merged = {**self.head, **lines}
        return replace(self, head={name: merged[name] for name in FIELDS if merged.get(name)})

    def text(self) -> str:
        """Return the text form."""
        lines = [f"circuit {self.name}: {self.inputs} -> {self.outputs}"]
        lines += [f"{name} {self.head[name]}" for name in FIELDS if self.head.get(name)]
        return "\n".join([*lines, *self.equations]) + "\n"


@dataclass(frozen=True)
class Proof:
    """The text after ``proof``: ``optimal: gates (…)`` or ``best found; gates >= 12 (…)``."""

    text: str

    @property
    def optimal(self) -> bool:
        """Whether its first metric is proved to be the least."""
        return self.text.startswith("optimal")

    @property
    def state(self) -> str:
        """The statement without its reasons: ``optimal: gates``, ``best found; gates >= 12``."""
        text, before = self.text, ""
        while text != before:
            text, before = re.sub(r"\s*\([^()]*\)", "", text), text
        return text.strip()

    def bound(self, metric: str) -> float | None:
        """Return the bound of a metric that the text states as proved; None if it states none."""
        found = re.search(rf"\b{metric} >= ([0-9.]+)", self.state)
        return float(found[1]) if found else None

    def proves(self, metric: str) -> bool:
        """Whether the text states that the metric is the least possible."""
        return self.optimal and metric in re.findall(r"\w+", self.state.partition(";")[0])[1:]

    def reason(self, metric: str) -> str:
        """Return how it is known: what stands in parentheses after the metric; empty if nothing does."""
        found = re.search(rf"\b{metric}(?: >= [0-9.]+)? \(((?:[^()]|\([^()]*\))*)\)", self.text)
        return found[1] if found else ""


def write_metrics(metrics: Mapping[str, float]) -> str:
    """Return metrics as a head has them: ``gates=15 depth=8``."""
    return " ".join(f"{name}={value:g}" for name, value in metrics.items())


def parse(text: str, file: str = "the circuit") -> list[Document]:
    """Split a text into its circuits; what the lines of the equations mean is the engine's matter.

    Raises
    ------
    DescriptionError
        ``C505``: there is no circuit in it.
    """
    documents: list[Document] = []
    head: dict[str, str] = {}
    equations: list[str] = []
    started: Document | None = None
    for line in (raw.partition("#")[0].strip() for raw in text.splitlines()):
        opening = _HEAD.match(line)
        if opening:
            documents += [replace(started, head=head, equations=tuple(equations))] if started else []
            started = Document(opening[1], int(opening[2]), int(opening[3]))
            head, equations = {}, []
        elif started and line.split(" ")[0] in FIELDS and "=" not in line.split(" ")[1:2]:
            head[line.split(" ")[0]] = line.partition(" ")[2].strip()
        elif line:
            equations.append(line)
    if not started:
        raise DescriptionError(
            "C505",
            f"{file} holds no circuit",
            places=[Place(file)],
            help="a circuit begins with a line `circuit NAME: 4 -> 4`",
        )
    return [*documents, replace(started, head=head, equations=tuple(equations))]


def _numbers(text: str) -> dict[str, float]:
    return {name: float(value) for name, value in re.findall(r"(\w+)=([0-9.eE+-]+)", text)}


def one(text: str, file: str = "the circuit") -> Document:
    """Return the only circuit of a text; raises ``C505`` if there is none, ``C512`` if there are several."""
    found: Sequence[Document] = parse(text, file)
    if len(found) > 1:
        message = f"{file} holds {len(found)} circuits where one is expected"
        raise DescriptionError("C512", message, places=[Place(file)])
    return found[0]
