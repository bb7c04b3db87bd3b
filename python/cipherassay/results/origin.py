"""Where and by what rows were made: the machine, the version of this package, the commit of its checkout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cipherassay.tools.machine import machine_name

_ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Origin:
    """What made a run; what is not known is None.

    `commit` and `commit_date` are those of the checkout that this package lies in, `modified` says whether it
    had changes besides. No field says when a run was made: the same input gives the same bytes.
    """

    machine: str | None = None
    version: str | None = None
    commit: str | None = None
    commit_date: str | None = None
    modified: bool | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields in their order."""
        return asdict(self)

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> Origin:
        """Return the origin that `as_dict` gave; fields that are missing are not known."""
        return Origin(**{name: values.get(name) for name in ORIGIN_FIELDS})


ORIGIN_FIELDS = tuple(Origin.__dataclass_fields__)


@cache
def here() -> Origin:
    """Return the origin of what this process makes."""
    import cipherassay

    commit, date, modified = _commit()
    return Origin(machine_name(), cipherassay.__version__, commit, date, modified)


def _commit() -> tuple[str | None, str | None, bool | None]:
    """Return the commit of the checkout, its date in ISO 8601, and whether there are changes besides."""
    if not (_ROOT / ".git").exists() or not (_ROOT / "crates").is_dir():
        return None, None, None
    said = _git("log", "-1", "--format=%H %cI").split()
    if len(said) != 2:
        return None, None, None
    changes = _git("status", "--porcelain", "--untracked-files=no", "--", "python", "crates")
    return said[0], said[1], bool(changes)


def _git(*words: str) -> str:
    """Return what git prints; nothing where it is not here or does not answer."""
    from cipherassay.errors import AssayError
    from cipherassay.tools import running

    try:
        return running.output(["git", "-C", _ROOT, *words], seconds=running.ANSWER).strip()
    except AssayError:
        return ""
