"""What a simulation reports, and what follows from it: failures, confirmed clock counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from cipherassay.errors import VerificationError
from cipherassay.hardware.rtl.build import Clocks, Device
from cipherassay.hardware.simulation.vectors import Vector, first_difference, word_bytes


@dataclass(frozen=True)
class Events:
    """The clocks in which something happened, counted from the first after reset."""

    keys: dict[int, int]
    """Vector: the clock that took its key."""
    blocks: dict[int, int]
    """Vector: the clock that took its block."""
    results: dict[int, tuple[int, bytes]]
    """Vector: the first clock with its result, and the result."""
    clocks: int
    """Length of the simulation."""
    complaints: tuple[str, ...] = ()
    """What the test bench itself found wrong."""


@dataclass(frozen=True)
class Failure:
    """A vector that did not give what it must."""

    vector: Vector
    number: int
    word: int | None
    found: bytes | None

    def __str__(self) -> str:
        if self.found is None or self.word is None:
            return f"vector {self.number} ({self.vector.title}): no result"
        if len(self.found) < len(self.vector.expected):
            return f"vector {self.number} ({self.vector.title}): the result has bits that are neither 0 nor 1"
        size = word_bytes(len(self.vector.expected))
        at = slice(size * self.word, size * (self.word + 1))
        return (
            f"vector {self.number} ({self.vector.title}): word {self.word} is {self.found[at].hex()}, "
            f"expected {self.vector.expected[at].hex()}"
        )


@dataclass(frozen=True)
class CountCheck:
    """A clock count: planned, and every value that the simulation showed."""

    key_bits: int
    decrypt: bool
    metric: str
    """``key_setup``, ``latency``, ``per_block``."""
    planned: int
    seen: tuple[int, ...]
    blocks: int = 1
    """Blocks that come in these clocks: one in each core."""

    @property
    def holds(self) -> bool:
        """Whether the simulation showed the planned count, and no other."""
        return self.seen == (self.planned,)


@dataclass(frozen=True)
class Verdict:
    """What a simulation says about a device."""

    design: str
    simulator: str
    vectors: int
    clocks: int
    failures: tuple[Failure, ...]
    confirmed: tuple[CountCheck, ...]
    complaints: tuple[str, ...] = ()
    passed: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Test: vectors that passed, vectors."""
    first: tuple[str, ...] = ()
    """Of failures: the first clock and registers that differ from what they must be."""

    @property
    def right(self) -> bool:
        """Whether every vector gave its result and every clock count was confirmed."""
        return not self.failures and not self.complaints and all(c.holds for c in self.confirmed)

    def demand(self, *, clocks: bool = True) -> None:
        """Raise where something is wrong.

        Parameters
        ----------
        clocks : bool
            Whether the vectors are meant to show the clock counts.

        Raises
        ------
        VerificationError
            ``H505``: vectors fail; ``H506``: clock counts differ; ``H508``: the bench complains.
        """
        if self.failures:
            raise VerificationError(
                "H505",
                f"{self.design} fails {len(self.failures)} of {self.vectors} vectors in {self.simulator}",
                notes=[*(str(failure) for failure in self.failures[:3]), *self.first],
            )
        wrong = [c for c in self.confirmed if clocks and not c.holds]
        if wrong:
            raise VerificationError(
                "H506",
                f"clock counts of {self.design} in {self.simulator} are not those planned",
                notes=[_sentence(c) for c in wrong],
            )
        if self.complaints:
            raise VerificationError(
                "H508",
                f"the test bench of {self.design} complains in {self.simulator}",
                notes=self.complaints[:3],
            )


def _sentence(count: CountCheck) -> str:
    direction = "decryption" if count.decrypt else "encryption"
    if not count.key_bits:
        direction = "backward" if count.decrypt else "forward"
    seen = ", ".join(map(str, count.seen)) or "none"
    metric = count.metric.replace("_", " ") if count.blocks == 1 else f"{count.blocks} blocks"
    of_key = f", {count.key_bits} bits" if count.key_bits else ""
    return f"{metric}{of_key}, {direction}: planned {count.planned}, seen {seen}"


def verdict_of(device: Device, vectors: Sequence[Vector], events: Events, simulator: str) -> Verdict:
    """Compare a simulation with the vectors, and its clocks with those planned."""
    failures = []
    passed: dict[str, tuple[int, int]] = {}
    for number, vector in enumerate(vectors):
        found = events.results[number][1] if number in events.results else None
        word = first_difference(found, vector.expected) if found is not None else None
        right = found == vector.expected
        if not right:
            failures.append(Failure(vector, number, word, found))
        good, all_ = passed.get(vector.test, (0, 0))
        passed[vector.test] = (good + right, all_ + 1)
    confirmed = []
    for (bits, decrypt), planned in device.clocks.items():
        own = {n for n, v in enumerate(vectors) if (8 * len(v.key), v.decrypt) == (bits, decrypt)}
        known = _key_setup(vectors, events, own, planned)
        for metric, plan, seen, blocks in (
            *([("key_setup", planned.key_setup, known, 1)] if device.keyed else []),
            ("latency", planned.latency, _latency(device, vectors, events, own), 1),
            ("per_block", planned.per_block, _per_block(vectors, events, own, device.copies), device.copies),
        ):
            confirmed.append(CountCheck(bits, decrypt, metric, plan, tuple(sorted(set(seen))), blocks))
    return Verdict(
        device.name, simulator, len(vectors), events.clocks, tuple(failures), tuple(confirmed),
        events.complaints, passed,
    )  # fmt: skip


def _key_setup(
    vectors: Sequence[Vector], events: Events, own: Iterable[int], planned: Clocks
) -> list[int]:
    """From the clock that takes a key to that which takes a block, where nothing else is under way.

    A block that was taken earlier waits inside: from the key to the result, less the latency. The first key
    after reset, which finds the device not ready, shows nothing where no setup follows.
    """
    found = []
    first = min(events.keys.values(), default=0)
    for n in own:
        if vectors[n].alone and vectors[n].new_key and n in events.blocks and n in events.keys:
            if events.keys[n] == first and not planned.key_setup:
                continue
            taken = events.blocks[n] - events.keys[n]
            early = taken < planned.key_setup and n in events.results
            found.append(events.results[n][0] - planned.latency - events.keys[n] if early else taken)
    return found


def _latency(device: Device, vectors: Sequence[Vector], events: Events, own: Iterable[int]) -> list[int]:
    """From the clock that takes a block to its result, where it does not wait for key setup."""
    found = []
    keyed = _keyed(events)
    for n in own:
        if n not in events.results or n not in events.blocks:
            continue
        # Everything that a pipeline takes goes on at once, and so it is not only blocks alone that count.
        if vectors[n].alone or device.architecture == "pipelined":
            known = device.clocks[8 * len(vectors[n].key), vectors[n].decrypt].key_setup
            if events.blocks[n] - keyed[n] >= known:
                found.append(events.results[n][0] - events.blocks[n])
    return found


def _keyed(events: Events) -> dict[int, int]:
    """Return the clock that took the key of each vector, which may have come with a vector before."""
    found: dict[int, int] = {}
    clock = 0
    for n in range(max(events.blocks, default=-1) + 1):
        clock = events.keys.get(n, clock)
        found[n] = clock
    return found


def _per_block(vectors: Sequence[Vector], events: Events, own: set[int], copies: int) -> list[int]:
    """Between the results of two blocks of one core and direction, loaded as fast as they are taken."""
    found = []
    for n in sorted(own):
        before, since = n - copies, range(n - copies + 1, n + 1)
        if before not in own or vectors[before].slow or not own.issuperset(since):
            continue
        if any(vectors[m].new_key or vectors[m].alone or vectors[m].slow for m in since):
            continue
        if n in events.results and before in events.results:
            found.append(events.results[n][0] - events.results[before][0])
    return found
