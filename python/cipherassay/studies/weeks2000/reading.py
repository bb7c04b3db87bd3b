"""What the hardware tables say, in sentences computed from the rows: how ours compare, where and why."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence

from cipherassay.hardware.results.designs import (
    TARGET,
    Hardware,
    Name,
    Point,
    clocks,
    least_and_greatest,
    names,
)
from cipherassay.hardware.timing import hold
from cipherassay.published import PublishedRow
from cipherassay.results import Row
from cipherassay.studies.weeks2000 import paper

STAGES = {"MARS": 34, "RC6": 20, "Rijndael": 10, "Serpent": 32, "Twofish": 20}
"""The paper's clocks of a block, which its tables show (throughput × time of a block): see its relations."""


def opening(hardware: Hardware, ciphers: Sequence[str]) -> str:
    """Return how many designs there are, and on how many counts they beat the paper."""
    wanted = list(names(ciphers))
    made = [name for name in wanted if hardware.grades(name)]
    stored = sum(any(_stored(p) for p in hardware.points[name]) for name in made)
    here = sum(any(not _stored(p) for p in hardware.points[name]) for name in made)
    part = "" if len(made) == len(wanted) else f"{len(made)} of "
    shown = f"{part or 'All '}{len(wanted)} designs"
    said = (
        f"{shown}, made from the cipher files alone: encryption and decryption "
        f"in one device, synthesized to the standard cells of {TARGET} before layout, as the paper's were. "
        f"The results of {stored} are cached (their RTL is unchanged); {here} were synthesized in this run."
    )
    counts = [count(hardware, made, *what) for _, *what in COUNTED]
    told = [f"{good} of {all} {what}" for (good, all), (what, *_) in zip(counts, COUNTED, strict=True) if all]
    return said + (f" Against the paper: {', '.join(told)}." if told else "")


COUNTED = (
    ("smallest designs are smaller", "area_um2", ""),
    ("smallest designs have fewer transistors", "transistors", ""),
    ("fastest designs are faster", "throughput_mbps", ""),
    ("take no longer for key setup (encryption)", "time_ns", "key_setup_encrypt"),
    ("take no longer for key setup (decryption)", "time_ns", "key_setup_decrypt"),
    ("take no longer for a block", "time_ns", "encrypt"),
)
"""What is counted: the words, the metric, the operation."""


def count(hardware: Hardware, made: Iterable[Name], metric: str, operation: str) -> tuple[int, int]:
    """Return how many designs are better than the paper's (in times: not worse), and how many compared."""
    good = compared = 0
    for name in made:
        pair = _best_pair(hardware, name, metric, operation)
        if pair is not None:
            mine, its = pair
            compared += 1
            if metric == "throughput_mbps":
                good += mine > its
            else:
                good += mine <= its if operation else mine < its
    return good, compared


def _best_pair(hardware: Hardware, name: Name, metric: str, operation: str) -> tuple[float, float] | None:
    """Return the best value of a design and the paper's: greatest throughput, least of the others."""
    up = metric == "throughput_mbps"
    bits = 0 if metric in ("area_um2", "transistors") else 128
    printed = paper.summary(
        name.cipher,
        name.architecture,
        name.key,
        f"{metric}_{'max' if up else 'min'}",
        operation=operation,
        key_bits=bits,
    )
    rows: list[Row | None] = [
        point.throughput(bits) if up else point.row(metric, operation=operation, key_bits=bits)
        for point in hardware.grades(name)
    ]
    best = least_and_greatest(rows)[int(up)]
    return None if best is None or printed is None else (best.value, printed.value)


def misses(hardware: Hardware, ciphers: Sequence[str]) -> str:
    """Name every count on which a design does not beat the paper; empty if there is none."""
    found = []
    for name in names(ciphers):
        for _, metric, operation in COUNTED:
            good, compared = count(hardware, [name] if hardware.grades(name) else [], metric, operation)
            pair = _best_pair(hardware, name, metric, operation) if compared > good else None
            if pair is not None:
                what = _WORDS[metric, operation]
                found.append(f"{name.title}: {what} {_times(*pair)} the paper's")
    return f"Not reached: {'; '.join(found)}." if found else ""


_WORDS = {
    ("area_um2", ""): "area",
    ("transistors", ""): "transistors",
    ("throughput_mbps", ""): "throughput",
    ("time_ns", "key_setup_encrypt"): "key setup for encryption",
    ("time_ns", "key_setup_decrypt"): "key setup for decryption",
    ("time_ns", "encrypt"): "time of a block",
}


def _times(mine: float, its: float) -> str:
    return f"{mine / its:.2f} times" if its else f"{mine:.1f} ns, where it is 0 in"


def reasons(hardware: Hardware, ciphers: Sequence[str]) -> list[str]:
    """Return a sentence per design: how its speed divides into clocks and clock period, where its area is."""
    return [
        sentence
        for name in names(ciphers)
        if hardware.grades(name)
        for sentence in [_reason(hardware, name)]
        if sentence
    ]


def _reason(hardware: Hardware, name: Name) -> str:
    fast, small = hardware.grades(name)[0], hardware.grades(name)[-1]
    parts = [*_speed(name, fast), *_area(name, small)]
    return f"{name.title}: {'; '.join(parts)}." if parts else ""


def _speed(name: Name, point: Point) -> Iterator[str]:
    rate, period = point.throughput(128), point.period(128)
    printed = paper.summary(name.cipher, name.architecture, name.key, "throughput_mbps_max", key_bits=128)
    if rate is None or period is None:
        return
    per_block = 1000 * paper.BLOCK_BITS / (rate.value * period.value)
    latency = clocks(point.time("encrypt", 128))
    piped = latency and name.architecture == "pipelined"
    told = f"{latency} cycles" if piped else f"{round(per_block, 2):g} cycles"
    text = f"the fastest takes {told} of {period.value:.1f} ns for a block"
    stages = STAGES.get(name.cipher)
    if printed is not None and stages is not None:
        inside = 1 if name.architecture == "pipelined" else stages
        theirs = 1000 * paper.BLOCK_BITS / (printed.value * inside)
        text += (
            f", the paper's {stages} of {theirs:.1f} ns: {rate.value / printed.value:.1f}× its throughput, "
            f"{theirs / period.value:.1f}× from the clock frequency"
        )
    yield text
    if period.certificate:
        yield f"its critical path runs from {_ends(period.certificate)}"


def _ends(certificate: str) -> str:
    """Return the blocks in which a critical path begins and ends."""
    begin, _, end = certificate.partition(";")[0].partition(" to ")
    names = [_BLOCK_OF.get(one.partition("/")[0].strip(), "a pin") for one in (begin, end)]
    if names[0] == names[1]:
        return f"register to register of the {names[0]}"
    return f"the {names[0]} to the {names[1]}"


_BLOCK_OF = {
    "interface": "Interface",
    "controller": "Controller",
    "key_schedule": "Key Schedule",
    "algorithm": "Algorithm",
}


def _area(name: Name, point: Point) -> Iterator[str]:
    whole = point.row("area_um2")
    if whole is None:
        return
    blocks = {part: row for part in point.blocks if (row := point.row("area_um2", part=part)) is not None}
    if blocks:
        largest = max(blocks, key=lambda part: blocks[part].value)
        share = 100 * blocks[largest].value / whole.value
        yield f"of the smallest, the {largest} takes {share:.0f} % of the area"
    printed = paper.summary(name.cipher, name.architecture, name.key, "area_um2_min")
    if printed is not None:
        yield f"the whole is {whole.value / printed.value:.2f} of the paper's smallest area"


def _density(area: Row | PublishedRow | None, count: Row | PublishedRow | None) -> float:
    """Return µm² a transistor; 0 if one is not known."""
    return 0.0 if area is None or count is None else area.value / count.value


def cells(hardware: Hardware, ciphers: Sequence[str]) -> str:
    """Return what the two libraries differ in: area per transistor of the whole devices."""
    made = [hardware.smallest(name) for name in names(ciphers)]
    ours = [_density(point.row("area_um2"), point.row("transistors")) for point in made if point is not None]
    theirs = [
        _density(*(paper.summary(*key, f"{metric}_min") for metric in ("area_um2", "transistors")))
        for key in ((name.cipher, name.architecture, name.key) for name in names(ciphers))
    ]
    ours, theirs = [one for one in ours if one], [one for one in theirs if one]
    if not ours or not theirs:
        return ""
    denser = statistics.median(ours) < statistics.median(theirs)
    return (
        f"The cells differ too: our smallest devices come to {_span(ours)} µm² a transistor, the paper's to "
        f"{_span(theirs)}. So areas compare in {'our' if denser else 'its'} favour, transistor counts as "
        "they are; both are checked."
    )


def _span(values: Sequence[float]) -> str:
    least, greatest = f"{min(values):.0f}", f"{max(values):.0f}"
    return least if least == greatest else f"{least} to {greatest}"


def literal(hardware: Hardware, ciphers: Sequence[str]) -> str:
    """Return what the step from the paper's form to the best strategies brings."""
    smaller, faster = [], []
    for name in names(ciphers):
        plain, best = hardware.literal(name), hardware.grades(name)
        if plain and best and any(point.strategy != plain[0].strategy for point in best):
            smaller.append((plain[-1].area_um2 / best[-1].area_um2, name.title))
            faster.append((plain[0].delay_ns / best[0].delay_ns, name.title))
    if not smaller:
        return ""
    most, where = max(smaller)
    gain, place = max(faster)
    return (
        f"Where the same cipher was also built to the letter ({len(smaller)} designs), other strategies are "
        f"up to {most:.2f} times smaller ({where}) and up to {gain:.2f} times faster ({place})."
    )


def missing(hardware: Hardware, ciphers: Sequence[str]) -> str:
    """Say how many designs were not run; empty if all were."""
    wanted = list(names(ciphers))
    absent = [name for name in wanted if hardware.not_run(name)]
    if not absent:
        return ""
    return (
        f"{len(absent)} of {len(wanted)} designs were not run: their cells are empty, and the table of what "
        "is missing has the commands."
    )


def withdrawn(hardware: Hardware, ciphers: Sequence[str]) -> str:
    """Say how many speed grades are withdrawn, and of which designs; empty if none is."""
    found = {name.title: len(hardware.withdrawn(name)) for name in names(ciphers) if hardware.withdrawn(name)}
    if not found:
        return ""
    told = "; ".join(f"{title}: {count}" for title, count in found.items())
    return (
        f"{sum(found.values())} speed grades of {len(found)} designs fail hold ({told}). {hold.WHY} They "
        "stand, marked, in the table of all speed grades, and in no ratio, count, best value or figure."
    )


def _stored(point: Point) -> bool:
    return any((row.tools or "").endswith("; stored") for row in point.rows)
