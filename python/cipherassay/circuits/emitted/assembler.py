"""GNU as for foreign machines: whether it accepts a text without a warning."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from cipherassay.circuits.emitted import EmittedText, Run, refused
from cipherassay.circuits.emitted.commands import skipped, tool_name
from cipherassay.tools import require, running


def assembled(items: Sequence[EmittedText], record: str, options: Sequence[str], language: str) -> Run:
    """Assemble each text on its own; an assembler computes no values, it only accepts.

    Raises
    ------
    VerificationError
        ``C411``: it refuses a text or warns of it.
    """
    tool, absent = tool_name(record)
    if absent:
        return skipped(tool, absent)
    with tempfile.TemporaryDirectory() as place:
        for n, item in enumerate(items):
            file = Path(place) / f"{n}.s"
            file.write_text(item.text)
            command = [require(record), *options, str(file), "-o", str(file.with_suffix(".o"))]
            done = running.run(command, seconds=running.BUILD)
            if done.code or done.err.strip():
                words = [line.replace(f"{file}:", "line ") for line in done.err.splitlines()]
                raise refused(item, language, tool, words)
    return Run(tool, only_accepts=True)
