"""Checkers of proofs that others wrote: asked where they are installed.

``drat-trim`` (Heule; in Debian from 13 on) and ``rate`` (``cargo install rate``) read clauses in the DIMACS
format and proofs in the DRAT format, which names no reasons: they find them again.
"""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path
from typing import Any

from cipherassay.tools import running

_engine: Any = importlib.import_module("cipherassay._engine")

CHECKERS = {"drat-trim": ("-t", "100000"), "rate": ()}
"""Programs and the options that they need (drat-trim gives up after a time of its own otherwise)."""
SECONDS = 100_000.0
MOST_BYTES = 200_000_000
"""Longer proofs are not given to them: they take many times as long as our checker."""


def verdicts(clauses: Path, proof: Path, folder: Path) -> dict[str, str]:
    """Return the verdict of each checker that is installed: ``verified`` or ``refused``."""
    programs = {name: found for name in CHECKERS if (found := shutil.which(name))}
    if not programs or proof.stat().st_size > MOST_BYTES:
        return {}
    drat = folder / "drat"
    _engine.proof_drat(str(clauses), str(proof), str(drat))
    said = {name: _ask(name, program, clauses, drat) for name, program in programs.items()}
    drat.unlink()
    return said


def _ask(name: str, program: str, clauses: Path, drat: Path) -> str:
    done = running.run([program, clauses, drat, *CHECKERS[name]], seconds=SECONDS, what="checking the proof")
    lines = {line.strip() for line in done.out.splitlines()}
    return "verified" if "s VERIFIED" in lines else "refused"
