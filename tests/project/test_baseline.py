"""The comparison with a list of best figures: what is worse, missing, better, or reached by withdrawn grades alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from support.places import ROOT

HEAD = "level,target,cipher,variant,operation,key_bits,configuration,metric,best\n"


def row(metric: str, value: float, certificate: str | None = None, *, key_bits: int = 128) -> dict[str, object]:
    return {
        "level": "hardware", "target": "cells", "cipher": "A", "variant": None, "operation": None,
        "key_bits": key_bits, "configuration": "iterative, fast", "metric": metric, "value": value,
        "certificate": certificate, "part": None,
    }  # fmt: skip


def compared(folder: Path, best: dict[str, float], rows: list[dict[str, object]]) -> tuple[int, list[str]]:
    lines = (f"hardware,cells,A,,,,iterative,{metric},{value}\n" for metric, value in best.items())
    (folder / "best.csv").write_text(HEAD + "".join(lines))
    (folder / "rows.json").write_text(json.dumps({"rows": rows}))
    command = [sys.executable, ROOT / "scripts/baseline.py", folder / "best.csv", folder / "rows.json"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    return ran.returncode, ran.stdout.splitlines()


def test_equal_better_worse_and_missing(tmp_path: Path) -> None:
    best = {"area_um2": 10, "transistors": 100, "throughput_mbps": 5, "period_ns": 2}
    rows = [row("area_um2", 12), row("area_um2", 9, key_bits=256), row("transistors", 100), row("throughput_mbps", 4)]
    assert compared(tmp_path, best, rows) == (
        1,
        [
            "worse: hardware | cells | A |  |  |  | iterative | throughput_mbps: 4.0 (best 5)",
            "missing: hardware | cells | A |  |  |  | iterative | period_ns: None (best 2)",
            "4 cells: 2 worse or missing, 1 better, 0 excepted (latches fail hold), 0 excepted (protocol of the pins corrected)",
        ],
    )


def test_only_what_a_withdrawn_grade_reaches_is_excepted(tmp_path: Path) -> None:
    withdrawn = [row("area_um2", 10, "fails hold"), row("transistors", 120, "fails hold")]
    rows = [row("area_um2", 15), *withdrawn]
    assert compared(tmp_path, {"area_um2": 10, "transistors": 100}, rows) == (
        1,
        [
            "missing: hardware | cells | A |  |  |  | iterative | transistors: None (best 100)",
            "2 cells: 1 worse or missing, 0 better, 1 excepted (latches fail hold), 0 excepted (protocol of the pins corrected)",
        ],
    )


def test_what_the_protocol_of_the_pins_costs_is_excepted_up_to_3_percent(tmp_path: Path) -> None:
    best = {"area_um2": 100, "transistors": 1000, "throughput_mbps": 100, "latency_cycles": 100}
    rows = [row("area_um2", 103), row("transistors", 1031), row("throughput_mbps", 98), row("latency_cycles", 101)]
    rows.append(row("transistors", 1030, "fails hold"))
    assert compared(tmp_path, best, rows) == (
        1,
        [
            "worse: hardware | cells | A |  |  |  | iterative | latency_cycles: 101.0 (best 100)",
            "4 cells: 1 worse or missing, 0 better, 1 excepted (latches fail hold), "
            "2 excepted (protocol of the pins corrected)",
        ],
    )
