"""A verdict, and the check that is made of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from cipherassay.errors import Place, VerificationError

_LATER = {("source", "fail"), ("citations", "fail")}
"""What a draft may still lack, and how a finished file is checked that lacks it."""


@dataclass(frozen=True)
class Verdict:
    """One verdict; `state` is ``pass``, ``fail``, ``missing`` (there is nothing to check) or
    ``note`` (it may be meant so)."""

    what: str
    state: str
    text: str
    places: Sequence[Place] = ()
    exit_code: int = 0


@dataclass(frozen=True)
class Review:
    """All verdicts on one file."""

    file: str
    cipher: str
    verdicts: Sequence[Verdict]

    def exit_code(self, *, draft: bool = False) -> int:
        """Return 0 if all is well, 3 for a fault of the description, else 4.

        What is missing is a fault, unless the file is a draft.
        """
        codes = [v.exit_code for v in self.verdicts if v.state == "fail"]
        if not draft and any(v.state == "missing" for v in self.verdicts):
            codes.append(VerificationError.exit_code)
        return min(codes, default=0)

    def as_draft(self) -> Review:
        """Return the review of a draft: sources that are not cited are missing, as known answers are."""
        verdicts = [
            replace(one, state="missing") if (one.what, one.state) in _LATER else one for one in self.verdicts
        ]
        return replace(self, verdicts=verdicts)

    def document(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    @staticmethod
    def of_document(document: dict[str, Any]) -> Review:
        """Return the check that a document holds."""
        verdicts = [
            Verdict(**{**one, "places": [Place(**place) for place in one["places"]]})
            for one in document["verdicts"]
        ]
        return Review(document["file"], document["cipher"], verdicts)
