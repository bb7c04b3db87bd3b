"""A sweep that is told to end ends the programs that it runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SWEEP = """
import sys
from pathlib import Path
from cipherassay.hardware import process
try:
    with process.ended_by_signals():
        process.run(["sh", "-c", "echo $$ > pid; exec sleep 600"], Path(sys.argv[1]), doing="waiting")
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_programs_end_with_the_sweep(tmp_path: Path, number: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SWEEP, str(tmp_path)], stdout=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as sweep:  # fmt: skip
        place = tmp_path / "pid"
        while not place.exists() or not place.read_text().strip():
            time.sleep(0.05)
        program = int(place.read_text())
        sweep.send_signal(number)
        printed, _ = sweep.communicate(timeout=60)
    assert printed == "interrupted\n"
    with pytest.raises(ProcessLookupError):
        os.kill(program, 0)
