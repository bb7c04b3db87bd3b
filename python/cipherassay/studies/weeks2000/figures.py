"""The figures of the hardware paper's chapters 6 and 7, of our devices beside the paper's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cipherassay.hardware.results.designs import ARCHITECTURES, BLOCKS, KEYS, Hardware, Name, Point
from cipherassay.report.elements.figures import Figure
from cipherassay.results import Row
from cipherassay.studies.weeks2000 import charts, paper
from cipherassay.studies.weeks2000.comparisons import GRADES, density

NUMBERS = {
    "3in1": {
        "area": (4, 14), "transistors": (5, 15), "throughput": (6, 16), "throughput-area": (7, 17),
        "setup": (8, 10, 18, 20), "setup-area": (9, 11, 19, 21), "latency": (12, 13, 22, 23),
    },
    "128": {
        "area": (24, 34), "transistors": (25, 35), "throughput": (26, 36), "throughput-area": (27, 37),
        "setup": (28, 30, 38, 40), "setup-area": (29, 31, 39, 41), "latency": (32, 33, 42, 43),
    },
}  # fmt: skip
"""The paper's figures that a figure here stands for."""
DIRECTIONS = {"encrypt": "encryption", "decrypt": "decryption"}
Points = list[dict[str, Any]]


def figures(hardware: Hardware, ciphers: Sequence[str], key: str) -> Iterator[Figure]:
    """Yield the figures of a key version: those for which there is a device."""
    if not any(hardware.grades(Name(c, a, key)) for c in ciphers for a in ARCHITECTURES):
        return
    yield _ranges(hardware, ciphers, key, "area", "area_um2", 1e6, "Area of the whole device", "mm²")
    yield _transistors(hardware, ciphers, key)
    yield _ranges(hardware, ciphers, key, "throughput", "throughput_mbps", 1, "Throughput", "Mbit/s")
    yield _throughput_area(hardware, ciphers, key)
    yield _per_area(hardware, ciphers, key)
    yield _setup(hardware, ciphers, key)
    yield _setup_area(hardware, ciphers, key)
    yield _latency(hardware, ciphers, key)


def _title(key: str, what: str, name: str) -> str:
    numbers = NUMBERS[key][name]
    listed = ", ".join(map(str, numbers[:-1]))
    return f"Figures {listed} and {numbers[-1]}: {what}, {KEYS[key]}"


def _bits(key: str) -> int:
    return 128 if key == "3in1" else int(key)


def _own(hardware: Hardware, ciphers: Sequence[str], key: str) -> Iterator[tuple[Name, list[Point]]]:
    for architecture in ARCHITECTURES:
        for cipher in ciphers:
            name = Name(cipher, architecture, key)
            yield name, hardware.grades(name)


def _least_and_greatest(rows: Sequence[Row | None], scale: float) -> dict[str, float] | None:
    known = [row.value / scale for row in rows if row is not None]
    return {"least": min(known), "greatest": max(known)} if known else None


def _span(name: Name, metric: str, scale: float, operation: str = "") -> dict[str, float] | None:
    """Return the paper's least and greatest of a parameter, as Tables 1 to 10 print them."""
    found = [
        paper.summary(
            name.cipher, name.architecture, name.key, f"{metric}_{end}", operation=operation,
            key_bits=_bits(name.key),
        )
        for end in ("min", "max")
    ]  # fmt: skip
    if found[0] is None or found[1] is None:
        return None
    return {"least": found[0].value / scale, "greatest": found[1].value / scale}


def _ranges(
    hardware: Hardware,
    ciphers: Sequence[str],
    key: str,
    name: str,
    metric: str,
    scale: float,
    what: str,
    unit: str,
) -> Figure:
    points: Points = []
    for design, grades in _own(hardware, ciphers, key):
        rows = [p.throughput(_bits(key)) if metric == "throughput_mbps" else p.row(metric) for p in grades]
        spans = {"ours": _least_and_greatest(rows, scale), "paper": _span(design, metric, scale)}
        for whose, span in spans.items():
            if span is not None:
                points.append({"panel": design.architecture, "cipher": design.cipher, "whose": whose, **span})
    caption = "Least to greatest of the sweep, on a logarithmic scale: ours in colour, the paper's grey."
    chart = charts.ranges(points, ciphers, unit)
    return Figure(f"hardware-{name}-{key}", _title(key, what.lower(), name), caption, chart)


def _transistors(hardware: Hardware, ciphers: Sequence[str], key: str) -> Figure:
    points: Points = []
    for design, grades in _own(hardware, ciphers, key):
        for which, end, point in (("smallest", "min", grades[-1:]), ("fastest", "max", grades[:1])):
            panel = {"panel": f"{design.architecture}, {which}", "cipher": design.cipher}
            for part in BLOCKS:
                row = point[0].row("transistors", part=part) if point else None
                if row is not None:
                    points.append({**panel, "block": part, "kilo": row.value / 1e3})
            printed = paper.summary(design.cipher, design.architecture, key, f"transistors_{end}")
            if printed is not None:
                points.append({**panel, "block": "paper", "kilo": printed.value / 1e3})
    order = [f"{a}, {which}" for a in ARCHITECTURES for which in ("smallest", "fastest")]
    points.sort(key=lambda point: order.index(point["panel"]))
    used = [part for part in BLOCKS if any(point["block"] == part for point in points)]
    caption = (
        "Bars: our transistors by block, of the smallest and of the fastest device. Diamonds: the paper's "
        "least and greatest whole device; what it shows of blocks has no readable values."
    )
    return Figure(
        f"hardware-transistors-{key}", _title(key, "transistors by block", "transistors"), caption,
        charts.blocks(points, ciphers, used),
    )  # fmt: skip


def _throughput_area(hardware: Hardware, ciphers: Sequence[str], key: str) -> Figure:
    """Draw throughput against area: of the whole device if iterative, of the Algorithm block if pipelined."""
    points: Points = []
    for design, grades in _own(hardware, ciphers, key):
        pipelined = design.architecture == "pipelined"
        part = "Algorithm" if pipelined else ""
        panel = {"panel": f"{design.architecture}, area of {'the Algorithm' if pipelined else 'the device'}"}
        panel |= {"cipher": design.cipher}
        for number, point in enumerate(grades, 1):
            rate, area = point.throughput(_bits(key)), point.row("area_um2", part=part)
            if rate is not None and area is not None:
                label = f"speed {number}, {point.strategy}"
                place = {"x": area.value / 1e6, "y": rate.value}
                points.append({**panel, **place, "whose": "ours", "label": label})
        points += [{**panel, **point} for point in _printed_densities(design, pipelined)]
    caption = (
        "Iterative: by the area of the whole device (Figures 7 and 27); pipelined: of the Algorithm block "
        "(17 and 37). Lines join our speed grades, which are the Pareto front of all points; diamonds: the "
        "paper's smallest and fastest. The paper prints no area of an Algorithm block: it is computed here "
        "from its throughput per area, which follows from that block alone."
    )
    chart = charts.scatter(points, ciphers, "mm²", "Mbit/s")
    title = _title(key, "throughput versus area", "throughput-area")
    return Figure(f"hardware-throughput-area-{key}", title, caption, chart)


def _printed_densities(design: Name, by_block: bool) -> Points:
    """Return the paper's smallest and fastest design; by block, its area from Tables 14 and 18."""
    found: Points = []
    for end, speed in (("min", GRADES), ("max", 1)):
        rate = paper.summary(
            design.cipher, design.architecture, design.key, f"throughput_mbps_{end}",
            key_bits=_bits(design.key),
        )  # fmt: skip
        area = paper.summary(design.cipher, design.architecture, design.key, f"area_um2_{end}")
        ratio = paper.find(
            paper.PER_AREA[design.architecture, design.key], design.cipher, "throughput_per_area",
            configuration=f"{design.architecture}, {paper.KEYS[design.key]}, speed {speed}",
            key_bits=_bits(design.key),
        )  # fmt: skip
        if rate is None or area is None or ratio is None:
            continue
        x = rate.value / ratio.value if by_block else area.value / 1e6
        label = "smallest" if end == "min" else "fastest"
        found.append({"whose": "paper", "x": x, "y": rate.value, "label": label})
    return found


def _per_area(hardware: Hardware, ciphers: Sequence[str], key: str) -> Figure:
    points: Points = []
    for design, grades in _own(hardware, ciphers, key):
        for part, panel in (("", "total area"), ("Algorithm", "Algorithm block")):
            where = {"panel": f"{design.architecture}, {panel}", "cipher": design.cipher}
            places = _places(len(grades))
            for speed, point in zip(places, grades, strict=True):
                number = density(point, _bits(key), part)
                if number is not None:
                    points.append({**where, "whose": "ours", "speed": speed, "value": number})
            if (part == "Algorithm") == (design.architecture == "pipelined"):
                points += [{**where, **point} for point in _printed_grades(design)]
    points.sort(key=lambda p: (not p["panel"].startswith("iterative"), "Algorithm" in p["panel"]))
    caption = (
        "Filled: ours; open diamonds: as the paper's Tables "
        f"{' and '.join(paper.PER_AREA[a, key].partition('-')[2] for a in ARCHITECTURES)} print it, beside "
        "what it was divided by: the Algorithm block where pipelined; where iterative, it is not stated."
    )
    title = f"Throughput per unit area over the speed grades, {KEYS[key]}"
    return Figure(f"hardware-per-area-{key}", title, caption, charts.grades(points, ciphers, "bit/s per µm²"))


def _places(count: int) -> list[int]:
    """Return the speed grades' numbers: the last is the fifth, where there are fewer."""
    return [1] if count == 1 else [*range(1, count), GRADES] if count else []


def _printed_grades(design: Name) -> Points:
    found = []
    for speed in range(1, GRADES + 1):
        row = paper.find(
            paper.PER_AREA[design.architecture, design.key], design.cipher, "throughput_per_area",
            configuration=f"{design.architecture}, {paper.KEYS[design.key]}, speed {speed}",
            key_bits=_bits(design.key),
        )  # fmt: skip
        if row is not None:
            found.append({"whose": "paper", "speed": speed, "value": row.value})
    return found


def _directed(
    hardware: Hardware, ciphers: Sequence[str], key: str
) -> Iterator[tuple[str, str, Name, list[Point]]]:
    """Yield panel, operation, design and grades: both directions of both architectures."""
    for architecture in ARCHITECTURES:
        for operation, word in DIRECTIONS.items():
            for cipher in ciphers:
                name = Name(cipher, architecture, key)
                yield f"{architecture}, {word}", operation, name, hardware.grades(name)


def _setup(hardware: Hardware, ciphers: Sequence[str], key: str) -> Figure:
    points: Points = []
    for panel, operation, design, grades in _directed(hardware, ciphers, key):
        name = f"key_setup_{operation}"
        ours = _least_and_greatest([p.time(name, _bits(key)) for p in grades], 1)
        for whose, span in (("ours", ours), ("paper", _span(design, "time_ns", 1, name))):
            if span is not None:
                points.append({"panel": panel, "cipher": design.cipher, "whose": whose, **span})
    caption = "Least and greatest; the scale is linear up to 10 ns, then logarithmic. A dot at 0: no setup."
    return Figure(
        f"hardware-setup-{key}", _title(key, "key setup", "setup"), caption,
        charts.ranges(points, ciphers, "ns", zero=True),
    )  # fmt: skip


def _setup_area(hardware: Hardware, ciphers: Sequence[str], key: str) -> Figure:
    points: Points = []
    for panel, operation, design, grades in _directed(hardware, ciphers, key):
        for number, point in enumerate(grades, 1):
            time = point.time(f"key_setup_{operation}", _bits(key))
            area = point.row("area_um2", part="Key Schedule")
            if time is not None and area is not None:
                place = {"panel": panel, "cipher": design.cipher, "x": area.value / 1e6, "y": time.value}
                points.append({**place, "whose": "ours", "label": f"speed {number}, {point.strategy}"})
        points += [{"panel": panel, **point} for point in _printed_schedule(design, operation)]
    caption = (
        "By the area of the Key Schedule block, as in the paper; its own figures have no readable values "
        "but those that its text gives (Twofish, pipelined, greatest)."
    )
    return Figure(
        f"hardware-setup-area-{key}", _title(key, "key setup versus area", "setup-area"), caption,
        charts.scatter(points, ciphers, "mm² of the Key Schedule", "ns", zero=True),
    )  # fmt: skip


def _printed_schedule(design: Name, operation: str) -> Points:
    """Return what the paper's text says of the area of a key schedule."""
    area = paper.find(
        "figure-39", design.cipher, "area_um2_max", part="key schedule",
        configuration=f"{design.architecture}, {paper.KEYS[design.key]}",
    )  # fmt: skip
    time = paper.summary(
        design.cipher, design.architecture, design.key, "time_ns_min", operation=f"key_setup_{operation}",
        key_bits=_bits(design.key),
    )  # fmt: skip
    if area is None or time is None:
        return []
    place = {"cipher": design.cipher, "whose": "paper", "x": area.value / 1e6, "y": time.value}
    return [{**place, "label": "greatest"}]


def _latency(hardware: Hardware, ciphers: Sequence[str], key: str) -> Figure:
    points: Points = []
    for panel, operation, design, grades in _directed(hardware, ciphers, key):
        for part, name in (("key setup", f"key_setup_{operation}"), ("one block", operation)):
            ours = _least_and_greatest([p.time(name, _bits(key)) for p in grades[:1]], 1)
            where = {"panel": panel, "cipher": design.cipher, "part": part}
            if ours is not None:
                points.append({**where, "whose": "ours", "ns": ours["least"]})
            printed = _printed_time(design, name)
            if printed is not None:
                points.append({**where, "whose": "paper", "ns": printed})
    caption = (
        "Key setup (pale) and one block of the fastest designs, ours in colour, the paper's grey; where "
        "its tables disagree, the value of the other table. Bars that leave the scale carry "
        "their sum."
    )
    return Figure(
        f"hardware-latency-{key}", _title(key, "latency", "latency"), caption, charts.latency(points, ciphers)
    )


def _printed_time(design: Name, operation: str) -> float | None:
    """Return the paper's least time, of the table whose value its other numbers do not contradict."""
    bits = _bits(design.key)
    table = paper.COMPARISONS[design.architecture, design.key]
    found = (
        paper.summary(
            design.cipher, design.architecture, design.key, "time_ns_min", operation=operation, key_bits=bits
        ),
        paper.find(table, design.cipher, "time_ns_min", operation=operation, key_bits=bits),
    )
    known = sorted((row for row in found if row is not None), key=lambda row: bool(row.errata))
    return known[0].value if known else None
