"""Layouts in the virtual machine that is installed: compiled, compared with the layer, timed in one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cipherassay.java.building import CompiledClasses, compile_classes, virtual_machine
from cipherassay.java.measuring import AGREEMENT, cycles_per_nanosecond
from cipherassay.layouts.checking import compare, inputs
from cipherassay.layouts.java_classes import LayoutClass, bytes_of, filled, java_class, words_of
from cipherassay.layouts.layers import Layer
from cipherassay.layouts.layout import Layout
from cipherassay.native.environment import machine_name
from cipherassay.native.session import Session
from cipherassay.results import Row

RUNS = 2000
"""Evaluations of one sample."""
TARGET = "java-jit"
_FLAGS = ("-XX:FreqInlineSize=4000",)
"""Every layout is compiled into its loop, however long it is, so that no call is timed."""
HOW = f"the least of samples of {RUNS} evaluations, each of the result before; -XX:FreqInlineSize=4000"


@dataclass(frozen=True)
class Runs:
    """How much is measured: virtual machines, and for each layout milliseconds of warming up and samples."""

    forks: int = 2
    warm_up: int = 100
    samples: int = 1000


@dataclass(frozen=True)
class Time:
    """One evaluation of a layout: the least nanoseconds of each virtual machine, and the clock beside it."""

    nanoseconds: tuple[float, ...]
    cycles_per_ns: float

    @property
    def least(self) -> float:
        """Nanoseconds of one evaluation."""
        return min(self.nanoseconds)

    @property
    def cycles(self) -> float:
        """The same in cycles of the clock."""
        return self.least * self.cycles_per_ns

    @property
    def steady(self) -> bool:
        """Whether the virtual machines agree: else something disturbed one of them."""
        return max(self.nanoseconds) <= (1 + AGREEMENT) * self.least


@dataclass(frozen=True)
class Timer:
    """Layouts of one word width as classes that were compiled, and compared with the layer."""

    layouts: tuple[Layout, ...]
    classes: tuple[LayoutClass, ...]
    built: CompiledClasses

    def measure(self, runs: Runs = Runs()) -> list[Time]:
        """Return the time of each layout, all in one run.

        Raises
        ------
        ToolError
            ``J002``: the virtual machine fails.
        """
        found: list[dict[str, float]] = []
        rates = [cycles_per_nanosecond()]
        for _ in range(runs.forks):
            arguments = ["Layouts", "times", str(runs.warm_up), str(runs.samples)]
            lines = self.built.run(arguments, flags=_FLAGS).splitlines()
            found.append({name: float(value) for name, value in (line.split() for line in lines)})
            rates.append(cycles_per_nanosecond())
        return [Time(tuple(one[made.name] for one in found), max(rates)) for made in self.classes]


def build(layer: Layer, layouts: Sequence[Layout], names: Sequence[str], folder: Path) -> Timer:
    """Compile layouts of one word width in a folder, and compare each with the layer (inputs of `checking`).

    Raises
    ------
    ToolError
        ``T002``: there is no JDK; ``J002``: it fails.
    VerificationError
        ``L401``: another result.
    """
    classes = [java_class(layer, one, name) for name, one in zip(names, layouts, strict=True)]
    size = layouts[0].word_bits // 8
    words = [-(-layer.inputs // size), len(layouts[0].outputs)]
    harness = filled("Layouts.java", {
        "names": [one.name for one in classes], "word": classes[0].word, "runs": RUNS,
        "words": max(words), "inputs": words[0], "outputs": words[1],
    })  # fmt: skip
    sources = {f"{one.name}.java": one.text for one in classes} | {"Layouts.java": harness}
    timer = Timer(tuple(layouts), tuple(classes), compile_classes(sources, folder))
    _check(layer, timer, words[1])
    return timer


def _check(layer: Layer, timer: Timer, outputs: int) -> None:
    x, folder = inputs(layer), timer.built.folder
    given = [words_of(made, one, x) for made, one in zip(timer.classes, timer.layouts, strict=True)]
    (folder / "inputs").write_bytes(b"".join(words.astype(">u8").tobytes() for words in given))
    timer.built.run(["Layouts", "answers", str(folder / "inputs"), str(folder / "outputs"), str(len(x))])
    found = np.frombuffer((folder / "outputs").read_bytes(), ">u8").reshape(len(given), len(x), outputs)
    for layout, words in zip(timer.layouts, found, strict=True):
        compare(layer, layout, x, bytes_of(layer, layout, words.astype(np.uint64)), "run as Java")


def named(layout: Layout) -> str:
    """Return what the rows of a layout's time have as their configuration."""
    return f"words of {layout.word_bits} bits, {layout.name}, {TARGET}"


def is_time(row: Row, word_bits: int) -> bool:
    """Say whether a row is the time of a layout of words of that width."""
    name, begin = row.configuration or "", f"words of {word_bits} bits, "
    return row.metric == "time_ns" and name.startswith(begin) and name.endswith(f", {TARGET}")


def time_rows(
    layer: Layer,
    layouts: Sequence[Layout],
    times: Sequence[Time],
    cipher: str,
    command: str,
    session: Session,
) -> list[Row]:
    """Return rows of nanoseconds and cycles, two for each layout."""
    tools = f"{virtual_machine()}; {HOW}"
    return [
        Row(
            cipher=cipher, part=layer.name, level="native", target=machine_name(),
            configuration=named(layout),
            metric=metric, value=value, basis="measured", tools=tools, command=command,
            stable=session.environment.stable and time.steady,
        )
        for layout, time in zip(layouts, times, strict=True)
        for metric, value in (("time_ns", time.least), ("cycles", time.cycles))
    ]  # fmt: skip
