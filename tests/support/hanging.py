"""Work in a process beside the test's that hangs in a program until a signal ends it."""

from __future__ import annotations

import multiprocessing
import tempfile
from concurrent.futures import ProcessPoolExecutor

from cipherassay import signals
from cipherassay.tools import running


def hang_in_processes() -> None:
    """Run what hangs in processes beside this one, as verbs do."""
    spawn = multiprocessing.get_context("spawn")
    with signals.orderly_end():
        pool = ProcessPoolExecutor(1, mp_context=spawn, initializer=signals.in_worker)
        try:
            pool.submit(_hang, "avr-gcc").result()
        except KeyboardInterrupt:
            signals.end_now(signals.exit_code())


def _hang(tool: str) -> None:
    with tempfile.TemporaryDirectory(prefix="assay-left-"):
        running.run([tool], seconds=600)
