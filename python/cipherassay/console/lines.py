"""Lines of text that fit a width: wrapped at words, a label's text under itself."""

from __future__ import annotations

import re
import textwrap

_LABEL = re.compile(r" *(?:\S+ )*?\S+ {2,}(?=\S)| +")
"""What stands before a line's text: a label with two spaces behind it, or an indent."""


def wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """Return a text in lines of a width; words are never broken, so that a long one makes its line longer.

    ``first`` and ``rest`` stand before the first line and the others.
    """
    wrapper = textwrap.TextWrapper(
        width, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )
    return [part for line in text.split("\n") for part in wrapper.wrap(line) or [""]]


def hanging(text: str, width: int) -> list[str]:
    """Return a text in lines of a width, those that go on begin where their line's text does."""
    found: list[str] = []
    for line in text.split("\n"):
        label = _LABEL.match(line) if len(line) > width else None
        indent = label[0] if label and len(label[0]) <= width // 2 else ""
        found += wrapped(line[len(indent) :], width, indent, " " * len(indent))
    return found
