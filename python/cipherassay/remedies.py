"""How errors are mended that do not say it themselves: a sentence for each group of codes."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from cipherassay.errors import UsageError

PREFIX = 2
"""Characters of a code that name its group: the letter and the first digit."""


class Group(NamedTuple):
    """What the errors of a group are about, and how to mend them."""

    about: str
    mend: str


@cache
def groups() -> dict[str, Group]:
    """Return the groups by what their codes begin with."""
    file = Path(__file__).with_suffix(".toml")
    return {name: Group(*one) for name, one in tomllib.loads(file.read_text(encoding="utf-8")).items()}


def remedy(code: str) -> Group:
    """Return the group of a code.

    Raises
    ------
    UsageError
        ``U064``: no code begins like that.
    """
    found = groups().get(code.upper()[:PREFIX])
    if found is None:
        help = f"codes begin with {', '.join(groups())}"
        raise UsageError("U064", f"there is no error `{code}`", help=help)
    return found
