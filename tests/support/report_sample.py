"""Invented but plausible data for a whole report, to test the page without measuring."""

from __future__ import annotations

import random

from cipherassay.report.data import ReportData
from cipherassay.results import Row
from cipherassay.results.published import published_rows

COSTS = {
    "MARS": (1919.0, 264.0, 258.0),
    "RC6": (803.0, 161.0, 141.0),
    "Rijndael": (158.0, 128.0, 128.0),
    "Serpent": (599.0, 471.0, 394.0),
    "Twofish": (1762.0, 218.0, 216.0),
    "E2": (2880.0, 356.0, 356.0),
}
STRATEGIES = dict.fromkeys(COSTS, "direct") | {"Rijndael": "merged-tables", "Serpent": "bit-sliced"}
COMPILER = "gcc 12.2 -O2"
OPERATIONS = ("key_setup_both", "encrypt", "decrypt")


def sample_data(inputs: int = 200) -> ReportData:
    """Return the data; the same each time."""
    random.seed(1)
    rows: list[Row] = []
    compared: list[Row] = []
    samples: dict[tuple[str, str, int, str], list[float]] = {}
    for cipher, costs in COSTS.items():
        for operation, least in zip(OPERATIONS, costs, strict=True):
            for bits in (128, 192, 256):
                spread = 0.0 if operation == "decrypt" and cipher == "Serpent" else least / 60
                cycles = [
                    least * bits / 256 + least / 2 + random.gauss(3 * spread, spread) for _ in range(inputs)
                ]
                samples[cipher, operation, bits, STRATEGIES[cipher]] = cycles
                rows += _rows(cipher, operation, bits, cycles)
                compared += _compared(cipher, operation, bits, least)
        rows.append(_row(cipher, "encrypt", 128, "cycles", 999.5, "other", None))
    rows += _rows("Rijndael", "key_setup_encrypt", 128, [90.0 + n % 7 for n in range(inputs)])
    return ReportData(
        rows=rows,
        compared=compared,
        published=published_rows(),
        samples=samples,
        strategies=STRATEGIES,
        block_bytes=dict.fromkeys(STRATEGIES, 16),
        answers=_answers(),
        embedded=_embedded(),
        conditions=[("processor", "An invented processor, 2 cores"), ("compiler", COMPILER)],
        machine="An invented processor, 2 cores",
        missing=["nettle is not here: left out of the comparison (apt-get install nettle-dev)"],
    )


def _embedded() -> list[Row]:
    common = {"key_bits": 128, "level": "embedded", "basis": "simulated", "tools": "an assembler; a simulator"}
    forms = {"H8/300 (a chip)": "without saving registers", "AVR (a chip)": "registers loaded"}
    return [
        Row(
            cipher=cipher, operation=operation, target=target, configuration=f"rounds in loops, {how}",
            metric=metric, value=value, **common,
        )
        for target, inside in forms.items()
        for cipher in ("Rijndael", "E2")
        for operation in OPERATIONS
        for metric, how, value in (
            ("cycles", inside, 3000.0), ("cycles", "call to return", 3060.0),
            ("code_bytes", "with its tables", 1500.0),
            ("ram_bytes", "with key or keys, block and stack", 210.0),
        )
    ]  # fmt: skip


def _answers() -> list[Row]:
    return [
        Row(
            cipher=cipher,
            part=f"{name}.txt",
            target="evaluator",
            metric=f"known_answers_{state}",
            value=count,
            basis="measured",
        )
        for cipher in COSTS
        for name in ("ecb_vk", "ecb_e_m")
        for state, count in (("passed", 384), ("failed", 0))
    ]


def _compared(cipher: str, operation: str, bits: int, least: float) -> list[Row]:
    best, reference = "Botan 2.19.3", least * (0.9 if cipher == "RC6" else 1.01)
    others = {best: reference, "Crypto++ 8.7.0": least * 1.1, "RustCrypto aes 0.8, aes-instructions": 42.0}
    ours = (
        _row(cipher, operation, bits, "cycles", cycles, STRATEGIES[cipher], None, best, reference, compiler)
        for compiler, cycles in ((COMPILER, least), ("clang 14.0.6 -O2", least * 1.02))
    )
    theirs = (_row(cipher, operation, bits, "cycles", cycles, None, name) for name, cycles in others.items())
    return [*ours, *theirs]


def _rows(cipher: str, operation: str, bits: int, cycles: list[float]) -> list[Row]:
    average = sum(cycles) / len(cycles)
    sigma = (sum((c - average) ** 2 for c in cycles) / len(cycles)) ** 0.5
    statistics = {
        "cycles": sorted(cycles)[len(cycles) // 2], "cycles_min": min(cycles), "cycles_average": average, "cycles_mode": float(round(average)),
        "cycles_max": max(cycles), "cycles_sigma": sigma, "normality_p": 0.41,
    }  # fmt: skip
    return [
        _row(cipher, operation, bits, metric, value, STRATEGIES[cipher], None)
        for metric, value in statistics.items()
    ]


def _row(
    cipher: str,
    operation: str,
    bits: int,
    metric: str,
    value: float,
    strategy: str | None,
    library: str | None,
    best: str | None = None,
    reference: float | None = None,
    compiler: str = COMPILER,
) -> Row:
    return Row(
        cipher=cipher,
        operation=operation,
        key_bits=bits,
        strategy=strategy,
        level="native",
        target="invented processor",
        configuration=library or compiler,
        compiler=None if library else compiler,
        metric=metric,
        value=value,
        basis="measured",
        reference=reference,
        reference_source=best,
        stable=cipher != "E2" or operation != "decrypt",
        tools="gcc 12.2.0",
        command=f"assay measure {cipher.lower()}",
    )
