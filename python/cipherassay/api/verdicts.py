"""The verdicts on a description as a notebook shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.api.html import table

if TYPE_CHECKING:
    from cipherassay.review import Review

_MARKS = {"pass": "✓ pass", "fail": "✗ FAIL", "missing": "missing", "note": "note"}


class Verdicts:
    """What `assay check` says of a description.

    Parameters
    ----------
    review : cipherassay.review.Review
        The verdicts.
    draft : bool
        Whether what is still missing may be: citations, known answers.
    """

    def __init__(self, review: Review, *, draft: bool) -> None:
        self.review = review.as_draft() if draft else review
        self._draft = draft

    @property
    def ok(self) -> bool:
        """Whether nothing failed, and nothing is missing that may not be."""
        return self.review.exit_code(draft=self._draft) == 0

    def __bool__(self) -> bool:
        return self.ok

    @property
    def failed(self) -> list[str]:
        """What failed, with the reason."""
        return [f"{one.what}: {one.text}" for one in self.review.verdicts if one.state == "fail"]

    def _repr_html_(self) -> str:
        lines = [
            (_MARKS[one.state], one.what, one.text, "; ".join(map(str, one.places)))
            for one in self.review.verdicts
        ]
        title = f"{self.review.cipher}: {'all is well' if self.ok else 'not yet right'}"
        return table(("", "check", "finding", "where"), lines, title=title)

    def __repr__(self) -> str:
        lines = [f"{_MARKS[one.state]}  {one.what}: {one.text}" for one in self.review.verdicts]
        return "\n".join(lines)
