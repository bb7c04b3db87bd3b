"""The overview's pictures: costs across platforms, then and now, area and speed, key agility, longer keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cipherassay.report.comparing import FORWARD, Platform, key_bits, platforms
from cipherassay.report.data import ReportData
from cipherassay.report.drawings import overview
from cipherassay.report.drawings.charts import key_size_lines
from cipherassay.report.elements.figures import Figure
from cipherassay.report.elements.section import Section
from cipherassay.report.elements.tables import number_text
from cipherassay.report.sections.matrix import shown_platforms
from cipherassay.results import Row

ORDER = 2
PAGE = "overview"
OPERATIONS = {"key_setup": "Key setup", "encrypt": "Encryption", "decrypt": "Decryption"}
_BLOCKS = tuple(2**n for n in range(11))


def section(data: ReportData) -> Section | None:
    """Return the section, if there is anything to draw."""
    ciphers = data.ciphers
    shown = shown_platforms(platforms(data, ciphers))
    figures = [*_across(shown, ciphers), *_then(shown, ciphers), *_area(data)]
    figures += [*_agility(data), *_key_sizes(data)]
    return Section("pictures", "Five pictures", figures, label="Pictures") if figures else None


def unsteady_words(rows: Sequence[Row | None]) -> str:
    """Return the sentence that names what a figure shows although it was measured while unsteady; empty if
    nothing was."""
    names = [
        " ".join(filter(None, (row.cipher, (row.operation or "").replace("_", " "), str(row.key_bits or ""))))
        for row in rows
        if row is not None and row.stable is False
    ]
    return f" Measured while the machine was unsteady: {', '.join(dict.fromkeys(names))}." if names else ""


def _across(shown: Sequence[Platform], ciphers: Sequence[str]) -> Iterator[Figure]:
    points: list[dict[str, Any]] = []
    for one in shown:
        known = [one.rows[cipher].value for cipher in ciphers if cipher in one.rows]
        if len(known) < 2 or one.name == "s-box":
            continue
        best = max(known) if one.better == "higher" else min(known)
        for cipher in (name for name in ciphers if name in one.rows):
            value = one.rows[cipher].value
            times = best / value if one.better == "higher" else value / best
            said = f"{number_text(value / one.scale, one.unit)} {one.unit}"
            points.append({"platform": one.title, "cipher": cipher, "times": round(times, 4), "shown": said})
    places = list(dict.fromkeys(str(point["platform"]) for point in points))
    if len(places) > 1:
        yield Figure(
            "platforms", "Cost across platforms",
            "How many times the cost of the cheapest cipher on each platform: cycles, area, or the inverse "
            "of throughput. "
            "A line that stays at the left is a cipher that is cheap everywhere." + _native_words(shown),
            overview.across_platforms(points, ciphers, places),
        )  # fmt: skip


def _native_words(shown: Sequence[Platform]) -> str:
    return unsteady_words([row for one in shown if one.name == "native" for row in one.rows.values()])


def _then(shown: Sequence[Platform], ciphers: Sequence[str]) -> Iterator[Figure]:
    native = next((one for one in shown if one.name == "native"), None)
    if native is None:
        return
    points = [
        {"cipher": cipher, "where": native.title, "cycles": round(row.value, 2), "ours": True}
        for cipher, row in native.rows.items()
    ]
    theirs = [
        {
            "cipher": cipher, "where": f"{one.title}: {reference.source}", "cycles": reference.value,
            "ours": False,
        }
        for one in shown
        if one.page == "processors"
        for cipher, reference in one.references.items()
    ]
    if theirs:
        yield Figure(
            "then-and-now", "Published then, generated now",
            "Cycles of one block: grey, what papers print for the processors of their time; coloured, "
            "generated C on this "
            "machine." + _native_words(shown),
            overview.then_and_now([*theirs, *points], ciphers),
        )  # fmt: skip


def _area(data: ReportData) -> Iterator[Figure]:
    from cipherassay.hardware.results.designs import Hardware, Point
    from cipherassay.hardware.synthesis import front

    devices: dict[str, list[Point]] = {}
    for name, found in Hardware(data.hardware).points.items():
        devices.setdefault(name.cipher, []).extend(found)
    points: list[dict[str, Any]] = []
    for cipher in (name for name in data.strategies if name in devices):
        for one in front.front(devices[cipher]):
            rate = one.throughput()
            if rate is not None:
                size = {"mm2": round(one.area_um2 / 1e6, 4), "mbps": round(rate.value, 2)}
                points.append({"cipher": cipher, "whose": "ours", **size, "what": one.configuration})
    if points:
        points += _published_devices(data, set(devices))
        yield Figure(
            "area-throughput", "Area against throughput",
            "Devices in 0.5 µm cells. Lines: ours that no other of ours beats in both. Open diamonds: the "
            "paper's smallest "
            "and fastest device of each architecture.",
            overview.area_and_speed(points, [name for name in data.strategies if name in devices]),
        )  # fmt: skip


def _published_devices(data: ReportData, ciphers: set[str]) -> Iterator[dict[str, Any]]:
    known: dict[tuple[str, str, str], dict[str, float]] = {}
    for row in data.published:
        metric, _, end = row.metric.rpartition("_")
        whole = row.level == "hardware" and row.part is None and metric in ("area_um2", "throughput_mbps")
        if whole and row.cipher in ciphers:
            device = (row.cipher or "", row.configuration or "", end)
            known.setdefault(device, {}).setdefault(metric, row.value)
    for (cipher, configuration, end), values in known.items():
        if len(values) == 2:
            size = {"mm2": values["area_um2"] / 1e6, "mbps": values["throughput_mbps"]}
            words = f"{configuration}, {'fastest' if end == 'max' else 'smallest'}"
            yield {"cipher": cipher, "whose": "published", **size, "what": words}


def _agility(data: ReportData) -> Iterator[Figure]:
    points, used = [], []
    for cipher in data.ciphers:
        bits, size = key_bits(data, cipher), data.block_bytes.get(cipher)
        blocks = [row for name in FORWARD if (row := data.ours(cipher, name, bits))]
        names = ("key_setup_encrypt", "key_setup_both")
        setup = next((row for name in names if (row := data.ours(cipher, name, bits))), None)
        if not blocks or setup is None or not size:
            continue
        used += [blocks[0], setup]
        for count in _BLOCKS:
            each = (setup.value + count * blocks[0].value) / (count * size)
            points.append({"cipher": cipher, "blocks": count, "cycles": round(each, 3)})
    if points:
        yield Figure(
            "key-agility", "Key agility: what a key costs until it pays",
            "Cycles per byte on this machine if a key encrypts so many blocks: the key setup for encryption "
            "and the blocks, "
            "with the shortest key of each cipher." + unsteady_words(used),
            overview.key_agility(points, data.ciphers),
        )  # fmt: skip


def _key_sizes(data: ReportData) -> Iterator[Figure]:
    found = [
        (cipher, name, bits, row)
        for operation, name in OPERATIONS.items()
        for cipher in data.ciphers
        for bits in data.key_sizes
        if (row := data.cost(cipher, operation, bits)) is not None
    ]
    points = [
        {"cipher": cipher, "operation": name, "key_bits": bits, "cycles": round(row.value, 2)}
        for cipher, name, bits, row in found
    ]
    if len({point["key_bits"] for point in points}) > 1:
        yield Figure(
            "key-sizes", "What a longer key costs",
            "Cycles on this machine, by key size. " + data.setup_words
            + unsteady_words([row for *_, row in found]),
            key_size_lines(points, data.ciphers),
        )  # fmt: skip
