"""Organizations: the ways in which a cipher becomes hardware, from a core to a pipeline."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.errors import DescriptionError
from cipherassay.hardware.rtl.build import Device, build, choice, strategy

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher


@dataclass(frozen=True)
class Organization:
    """A way in which a cipher becomes hardware."""

    name: str
    """As it is chosen: ``core``, ``unrolled-4``."""
    title: str
    architecture: str
    strategy: str


@dataclass(frozen=True)
class Refusal:
    """An organization that a cipher does not have, and why."""

    organization: Organization
    error: DescriptionError


@cache
def _listed() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def names() -> list[str]:
    """Return the names of the organizations; ``unrolled`` stands for all numbers of rounds a clock."""
    return list(_listed())


def organizations(chosen: str, most: int) -> Iterator[Organization]:
    """Yield what a name stands for: itself, or unrolled by 2, 4, 8 … rounds a clock up to ``most``.

    Raises
    ------
    UsageError
        ``H306``: there is no such organization.
    """
    listed = _listed()[choice("organization", chosen, names())]
    title, architecture, by = (listed[one] for one in ("title", "architecture", "strategy"))
    if not listed.get("unroll"):
        yield Organization(chosen, title, architecture, by)
        return
    rounds = 2
    while rounds <= most:
        made = f"{by}:iterations={rounds}"
        yield Organization(f"{chosen}-{rounds}", f"{rounds} {title}", architecture, made)
        rounds *= 2


def device(
    cipher: Cipher, chosen: Organization, key: str, direction: str, variant: str
) -> Device | Refusal | None:
    """Return the device of an organization, or why the cipher has none; None: its strategy is of no form."""
    if not strategy(chosen.strategy).fits(cipher):
        return None
    try:
        return build(cipher, chosen.architecture, key, direction, chosen.strategy, variant)
    except DescriptionError as error:
        return Refusal(chosen, error)
