"""Invented but plausible rows of synthesized devices, to test the report's section of hardware."""

from __future__ import annotations

from collections.abc import Iterator

from cipherassay.results import Row

GRADES = ((1.0, 1.0), (1.25, 0.9), (1.6, 0.82), (2.1, 0.77), (2.8, 0.74))
"""Clock period and area of the speed grades, by those of the fastest."""
DESIGNS = {
    # cipher, architecture, key: clocks from block to block, latency, setup for encryption and decryption,
    # least period (ns), greatest area (Mµm²), strategy
    ("RC6", "iterative", "128"): (22, 24, 179, 179, 12.0, 12.0, "small"),
    ("RC6", "iterative", "3in1"): (22, 24, 179, 179, 12.5, 13.0, "small"),
    ("RC6", "pipelined", "128"): (1, 23, 60, 60, 11.0, 61.0, "small"),
    ("Rijndael", "iterative", "128"): (11, 13, 0, 11, 6.1, 9.5, "small"),
    ("Rijndael", "pipelined", "128"): (1, 12, 0, 11, 5.2, 70.0, "small"),
    ("Serpent", "pipelined", "3in1"): (1, 34, 1, 2, 3.4, 77.0, "small"),
    ("Serpent", "iterative", "128"): (33, 35, 1, 34, 4.5, 14.5, "small"),
    ("Twofish", "iterative", "3in1"): (18, 20, 5, 5, 14.0, 11.0, "small"),
    ("E2", "iterative", "128"): (13, 15, 50, 50, 9.0, 12.0, "small"),
}
LITERAL = {("Rijndael", "iterative", "128"): (11, 13, 22, 22, 7.0, 21.0, "on-the-fly")}
SHARES = {"Interface": 0.04, "Controller": 0.01, "Key Schedule": 0.55, "Algorithm": 0.4}
FUNCTIONS = {"round": (2.4, 28.0), "add_32": (0.055, 9.0), "rc6_iterative_128_key_schedule": (1.1, 12.0)}
"""Area in Mµm² and delay in ns by the recipe for least area."""
RECIPES = {"A": (1.0, 1.0), "M": (1.12, 0.8), "N": (1.2, 0.82), "D": (1.6, 0.5)}
Design = tuple[int, int, int, int, float, float, str]


def hardware_rows() -> list[Row]:
    """Return the rows; the same each time."""
    found: list[Row] = []
    for chosen in (DESIGNS, LITERAL):
        for (cipher, architecture, key), design in chosen.items():
            for number, (slower, smaller) in enumerate(GRADES, 1):
                words = f"{architecture}, literal" if chosen is LITERAL else architecture
                common = {
                    "cipher": cipher, "variant": key, "strategy": design[6], "level": "hardware",
                    "target": "osu050", "basis": "synthesized", "configuration": f"{words}, speed {number}",
                    "tools": "yosys 0.23; stored", "command": f"assay synthesize {cipher.lower()}",
                }  # fmt: skip
                found += _rows(common, design, key, design[4] * slower, design[5] * smaller)
    return found


def _rows(common: dict[str, str], design: Design, key: str, period: float, area: float) -> Iterator[Row]:
    def row(metric: str, value: float, **more: object) -> Row:
        return Row(metric=metric, value=value, **common, **more)  # type: ignore[arg-type]

    for part, share in ((None, 1.0), *SHARES.items()):
        yield row("area_um2", 1e6 * area * share, part=part)
        yield row("area_ge", 1e6 * area * share / 216, part=part)
        yield row("transistors", round(2e4 * area * share), part=part)
    yield row("io_pads", 520)
    yield row("time_ns", 0, part="algorithm setup")
    per_block, latency = design[:2]
    for bits in (128, 192, 256) if key == "3in1" else (int(key),):
        clock = period * (1 + (bits - 128) / 640)
        path = "controller/round/Q to algorithm/D[3]/D; operators: x:A"
        yield row("period_ns", clock, key_bits=bits, certificate=path)
        for direction, setup in zip(("encrypt", "decrypt"), design[2:4], strict=True):
            at = {"operation": direction, "key_bits": bits}
            of_key = {"operation": f"key_setup_{direction}", "key_bits": bits}
            yield row("throughput_mbps", 128e3 / (per_block * clock), **at)
            yield row("throughput_mbps", 128e3 / (latency * clock), part="feedback modes", **at)
            yield row("time_ns", latency * clock, certificate=f"{latency} clocks", **at)
            yield row("time_ns", setup * clock, certificate=f"{setup} clocks", **of_key)
            yield row("time_ns", (setup + latency) * clock, part="key setup and one block", **at)
            yield row("time_ns", max(setup, 1) * clock, part="key switch", **of_key)


def function_rows(cipher: str = "RC6") -> list[Row]:
    """Return the sweeps of a device's functions; recipe N beats nothing."""
    return [
        Row(
            cipher=cipher, variant="128", part=function, strategy="small", level="hardware",
            target="osu050", basis="synthesized", configuration=f"iterative, function by {recipe}",
            metric=metric, value=value,
        )
        for function, (area, delay) in FUNCTIONS.items()
        for recipe, (larger, faster) in RECIPES.items()
        for metric, value in (("area_um2", 1e6 * area * larger), ("time_ns", delay * faster))
    ]  # fmt: skip
