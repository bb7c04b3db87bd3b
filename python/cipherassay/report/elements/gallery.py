"""Many small pictures of one kind, set side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Picture:
    """One picture; `name` is its file's name without ending."""

    name: str
    title: str
    note: str
    page_svg: str
    """For the page, in its colours."""
    file_svg: str
    """For a file of its own."""


@dataclass(frozen=True)
class Gallery:
    """Pictures and the style that they share in the page."""

    name: str
    pictures: Sequence[Picture]
    style: str = ""

    def files(self) -> dict[str, bytes]:
        """Return the pictures' files by their names."""
        return {f"{picture.name}.svg": picture.file_svg.encode() for picture in self.pictures}
