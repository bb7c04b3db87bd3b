"""Timing repair as a program of its own, so that several run side by side.

``python -m cipherassay.hardware.timing.repair JOB RESULT``: JOB is a JSON file with `netlist` (the text of
`netlist.to_json`), `top`, `technology`, `clock`, `case` and `what`, ``timing`` or ``limits``; RESULT gets the
repaired netlist's text.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from cipherassay.hardware.libraries import technology
from cipherassay.hardware.netlists import netlist
from cipherassay.hardware.timing import repair
from cipherassay.hardware.timing.repair.limits import within_limits


def main(job: str, result: str) -> None:
    """Repair the netlist of a job and write the result."""
    asked = json.loads(Path(job).read_text())
    repaired = {"timing": repair.repaired, "limits": within_limits}[asked["what"]]
    made = repaired(
        netlist.from_json(asked["netlist"]), asked["top"], technology.load(asked["technology"]),
        clock=asked["clock"], case=asked["case"],
    )  # fmt: skip
    Path(result).write_text(netlist.to_json(made))


if __name__ == "__main__":
    main(*sys.argv[1:])
