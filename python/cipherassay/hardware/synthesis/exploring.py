"""A device by several strategies: the points of all together give its speed grades."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeVar

from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.rtl import build
from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.simulation import counts
from cipherassay.hardware.simulation.counts import Each
from cipherassay.hardware.synthesis import flow, front, recipes
from cipherassay.hardware.synthesis.bottom_up import DesignPoint
from cipherassay.hardware.synthesis.flow import Synthesis
from cipherassay.hardware.timing import analysis
from cipherassay.jobs import SILENT, Executor, Progress, together

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher

S = TypeVar("S")
T = TypeVar("T")
BEST = "best"
"""Stands for every strategy whose file says `sweep`."""
FIRST_NAMES, FIRST_MOST = ("A", "D"), 2
"""Recipes and designs by which strategies are compared before the best of them are swept in full."""
SPLITS = ("operators", "boxes")
"""How devices are cut into units by default; without a box of the library, the second is as the first."""
NEAR = 1.1
"""A strategy is swept in full unless another is better by this factor in both time and area, at both ends."""


@dataclass(frozen=True)
class Settings:
    """How a design is swept."""

    names: tuple[str, ...] = recipes.SWEEP[:5]
    splits: tuple[str, ...] = SPLITS
    most: int = flow.MOST_DESIGNS
    repair: bool = True
    """Whether the timing of the grades of all strategies together is repaired."""
    brief: bool = False
    """Whether fewer vectors show the clock counts."""


@dataclass(frozen=True)
class Trial:
    """A strategy's device, the clock counts that its simulation showed, and its synthesis."""

    device: Device
    counts: Each
    made: Synthesis

    def block_ns(self, point: DesignPoint) -> float:
        """Return the time between blocks at a point, averaged over key sizes and directions."""
        clocks = [one.per_block / one.copies for one in self.counts.values()]
        return point.delay_ns * sum(clocks) / len(clocks)


@dataclass(frozen=True)
class Candidate:
    """A whole design of one of the strategies, compared by the time of a block and its area."""

    strategy: str
    point: DesignPoint = field(repr=False)
    delay_ns: float
    """Time between blocks: strategies differ in clocks a block, so periods do not compare."""
    area_um2: float


@dataclass(frozen=True)
class Exploration:
    """A device's strategies, all their points, and the speed grades picked of them."""

    device: Device
    """That of the first strategy: what is the same for all."""
    technology: Technology
    settings: Settings
    tried: dict[str, Trial]
    """By strategy, those swept in full."""
    left: dict[str, Trial]
    """By strategy, those that only the first comparison saw."""

    @property
    def every(self) -> dict[str, Trial]:
        """All strategies."""
        return self.tried | self.left

    @cached_property
    def candidates(self) -> list[Candidate]:
        """All points of all strategies."""
        return _candidates(self.every)

    @cached_property
    def grades(self) -> list[Candidate]:
        """The speed grades, fastest first."""
        return front.grades(self.candidates)

    @cached_property
    def literal(self) -> list[Candidate]:
        """The speed grades of the literal strategy by itself, none if it was not asked for."""
        return front.grades([one for one in self.candidates if one.strategy == build.LITERAL])

    def all_timings(self, every: Sequence[Candidate]) -> list[dict[int, analysis.Timing]]:
        """Return `timings` of candidates, made side by side."""
        return together([partial(self.timings, one) for one in every])

    def timings(self, one: Candidate) -> dict[int, analysis.Timing]:
        """Return the timing of a candidate per key size: with several, each with ``key_size`` held."""
        tried = self.every[one.strategy]
        device = tried.device
        sizes = device.key_sizes
        if not device.size_width:
            return dict.fromkeys(sizes, one.point.timing)
        design = tried.made.designs[tried.made.split(one.point)]
        held = design.held(one.point, [{"key_size": device.size_code(bits)} for bits in sizes])
        return dict(zip(sizes, held, strict=True))


def explore(
    cipher: Cipher,
    technology: Technology,
    executor: Executor,
    *,
    architecture: str = "iterative",
    key: str = "",
    direction: str = "both",
    strategies: Sequence[str] = (build.DEFAULT,),
    variant: str = "",
    settings: Settings | None = None,
    watch: Progress = SILENT,
) -> Exploration:
    """Synthesize a cipher's device by strategies.

    With several, all are compared by two recipes first, and those that are near the front swept in full.
    Strategies that give the same Verilog count once, under the first name.

    Raises
    ------
    AssayError
        Whatever `build.build`, `counts.confirmed` and `flow.synthesize` raise.
    """
    devices = distinct(cipher, architecture, key, direction, strategies, variant)
    return explored(devices, technology, executor, settings or Settings(), watch)


def explored(
    devices: dict[str, Device],
    technology: Technology,
    executor: Executor,
    settings: Settings,
    watch: Progress,
) -> Exploration:
    """Synthesize a cipher's devices, by strategy; as `explore`."""
    left: dict[str, Trial] = {}
    if len(devices) > 1:
        first = Settings(FIRST_NAMES, settings.splits[:1], FIRST_MOST)
        left = _tried(devices, technology, executor, first, watch)
        near = _near(left)
        devices = {name: device for name, device in devices.items() if name in near}
    tried = _tried(devices, technology, executor, settings, watch)
    left = {name: one for name, one in left.items() if name not in tried}
    found = Exploration(next(iter(devices.values())), technology, settings, tried, left)
    return _signed_off(_repaired(found) if settings.repair else found)


def distinct(
    cipher: Cipher, architecture: str, key: str, direction: str, strategies: Sequence[str], variant: str
) -> dict[str, Device]:
    """Return a cipher's devices by strategies, equal ones once.

    Raises
    ------
    AssayError
        Whatever `build.build` raises.
    """
    devices: dict[str, Device] = {}
    for name in wanted(strategies, cipher, architecture):
        device = build.build(cipher, architecture, key, direction, name, variant)
        if all(device.verilog != one.verilog for one in devices.values()):
            devices[name] = device
    return devices


def wanted(strategies: Sequence[str], cipher: Cipher, architecture: str) -> list[str]:
    """Return the names of strategies, `BEST` replaced by all whose files say that a sweep tries them.

    What `BEST` sets (``best:storage=flops``) each of them sets.
    """
    swept = [name for name in build.strategies() if build.strategy(name).swept(cipher, architecture)]
    # The literal one first: another that gives the same design goes by its name.
    every = [build.LITERAL, *swept]
    return list(
        dict.fromkeys(
            name
            for one in strategies
            for name in ([first + one.removeprefix(BEST) for first in every] if is_best(one) else [one])
        )
    )


def is_best(name: str) -> bool:
    """Return whether a name stands for every strategy of sweeps, whatever it sets of them."""
    return name.partition(":")[0] == BEST


def _tried(
    devices: dict[str, Device], technology: Technology, executor: Executor, settings: Settings,
    watch: Progress,
) -> dict[str, Trial]:  # fmt: skip
    def tried(device: Device) -> Trial:
        made = flow.synthesize(
            device.verilog, technology, executor, top=device.name, names=settings.names,
            splits=settings.splits, most=settings.most, repair=False, sign_off=False, watch=watch,
        )  # fmt: skip
        return Trial(device, counts.confirmed(device, brief=settings.brief), made)

    return _each(tried, devices)


def _each(call: Callable[[S], T], given: Mapping[str, S]) -> dict[str, T]:
    """Return what a call gives of everything, made side by side."""
    made = together([partial(call, one) for one in given.values()])
    return dict(zip(given, made, strict=True))


def _repaired(found: Exploration) -> Exploration:
    """Return strategies with their part of all grades repaired."""
    grades = found.grades

    def repaired(name: str) -> Trial:
        chosen = [one.point for one in grades if one.strategy == name]
        return replace(found.tried[name], made=flow.with_repaired(found.tried[name].made, chosen))

    return replace(found, tried=_each(repaired, {name: name for name in found.tried}))


def _signed_off(found: Exploration) -> Exploration:
    """Return strategies with all grades as the technology's sign-off tool times them."""

    def signed_off(name: str) -> Trial:
        chosen = {id(one.point): one.point for one in left if one.strategy == name}
        one = found.every[name]
        return replace(one, made=flow.with_sign_off(one.made, list(chosen.values())))

    # A signed-off delay may differ in its last digit, and make another point a grade.
    while left := _not_signed_off(found):
        every = _each(signed_off, {name: name for name in found.every})
        tried, others = ({name: every[name] for name in ones} for ones in (found.tried, found.left))
        found = replace(found, tried=tried, left=others)
    return found


def _not_signed_off(found: Exploration) -> list[Candidate]:
    grades = (*found.grades, *found.literal)
    return [one for one in grades if not flow.is_signed_off(one.point, found.technology)]


def _candidates(tried: dict[str, Trial]) -> list[Candidate]:
    return [
        Candidate(name, point, one.block_ns(point), point.area_um2)
        for name, one in tried.items()
        for point in one.made.points
    ]


def _near(tried: dict[str, Trial]) -> list[str]:
    """Return the strategies with a point that no other strategy's point beats clearly."""
    every = _candidates(tried)
    kept = [
        one.strategy
        for one in every
        if not any(
            other.delay_ns * NEAR < one.delay_ns and other.area_um2 * NEAR < one.area_um2
            or other.delay_ns <= one.delay_ns and other.area_um2 * NEAR * NEAR < one.area_um2
            or other.area_um2 <= one.area_um2 and other.delay_ns * NEAR * NEAR < one.delay_ns
            for other in every
            if other.strategy != one.strategy
        )
    ]  # fmt: skip
    return list(dict.fromkeys(kept))
