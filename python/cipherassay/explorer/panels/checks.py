"""What a reviewer would look for: known answers, inverses, repetition, sources."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from cipherassay.explorer.panels import Given, Option, Show
from cipherassay.review.verdict import Verdict

TITLE = "Checks"
ORDER = 0
NICE, NICE_LATER = 0, 10
"""Until known answers are compared it goes before other panels, then behind them."""


def options() -> Sequence[Option]:
    """Nothing may be chosen."""
    return ()


def make(given: Given, show: Show) -> None:
    """Show the verdicts of `assay check`, each as soon as there is one."""
    from cipherassay.review.checking import check

    def found(verdict: Verdict) -> None:
        show("verdict", asdict(verdict))
        if verdict.what == "known answers" and os.nice(0) < NICE_LATER:
            os.nice(NICE_LATER)

    check(f"./{given.file}", _answers(given.origin), found=found)


def _answers(origin: str) -> list[Path]:
    """Return the known answers of the cipher of the project that the description began as.

    Those of a user's file lie beside the description.
    """
    from cipherassay import ciphers
    from cipherassay.vectors.kept import find_answers

    if not origin:
        return []
    original = ciphers.load(origin)
    return [path for path, _ in find_answers(Path(original.file), original)]
