"""The panels: what is shown of a description, a module each, found by scanning.

A module has ``TITLE``, ``ORDER``, ``NICE`` (what its process gives way by) and

* ``options()``: what may be chosen, from the catalogues;
* ``make(given, show)``: shows each kind and content as soon as it is made. The page knows the kinds
  ``facts``, ``verdict``, ``text`` and ``table``; `cipherassay.explorer.lines` makes those of texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Protocol, cast

from cipherassay import scanning

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher

Show = Callable[[str, Any], None]
"""Takes a kind and a content that JSON has."""


@dataclass(frozen=True)
class Option:
    """Something that may be chosen.

    Parameters
    ----------
    name, title : str
        As requests have it, after ``PANEL.``; as people read it.
    values : sequence of (str, str)
        Each value and its title; the first is the default.
    """

    name: str
    title: str
    values: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Given:
    """A description in the working folder, what was chosen, the cipher of the project that it began as."""

    file: str
    options: Mapping[str, str]
    origin: str = ""

    @cached_property
    def cipher(self) -> Cipher:
        """Return the cipher that the file describes; raises what `cipherassay.ciphers.load` does."""
        from cipherassay.ciphers import load

        return load(f"./{self.file}")

    @property
    def key_bits(self) -> int:
        """Return the key size; a description that lacks the one that was chosen has its first."""
        chosen = self.options.get("key_bits", "")
        fits = chosen.isdecimal() and int(chosen) in self.cipher.key_bits
        return int(chosen) if fits else self.cipher.key_bits[0]

    @property
    def operation(self) -> str:
        """Return the operation; a description that lacks the one that was chosen has its first."""
        chosen = self.options.get("operation", "")
        return chosen if chosen in self.cipher.directions else self.cipher.directions[0]

    def option(self, panel: str, option: Option) -> str:
        """Return the value of a panel's option; one that it does not have is its default."""
        chosen = self.options.get(f"{panel}.{option.name}", "")
        return chosen if any(chosen == value for value, _ in option.values) else option.values[0][0]


class Panel(Protocol):
    """A module of this package."""

    TITLE: str
    NICE: int
    ORDER: int

    def options(self) -> Sequence[Option]:
        """Return what may be chosen."""

    def make(self, given: Given, show: Show) -> None:
        """Show what the panel has."""


@cache
def panels() -> Mapping[str, Panel]:
    """Return the panels by name, in the order of the page."""
    modules = scanning.modules("explorer.panels", "explorer_panels")
    found = {module.__name__.rpartition(".")[2]: cast(Panel, module) for module in modules}
    return dict(sorted(found.items(), key=lambda one: one[1].ORDER))


def catalogue() -> dict[str, Any]:
    """Return the panels with their options, and the targets of costs, as the page takes them."""
    from cipherassay import coverage

    return {
        "panels": [
            {
                "name": name,
                "title": panel.TITLE,
                "options": [
                    {"name": one.name, "title": one.title, "values": [list(value) for value in one.values]}
                    for one in panel.options()
                ],
            }
            for name, panel in panels().items()
        ],
        "targets": [
            {"name": one.name, "group": one.group, "title": one.title} for one in coverage.levels()
        ],
    }
