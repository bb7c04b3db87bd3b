"""The rows of key schedules that jump, which the section of hardware compares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cipherassay.report.parts import Options, Part

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher


def parts(ciphers: Sequence[Cipher], options: Options) -> list[Part]:
    """Return what the package keeps of the ciphers' last key words."""
    from cipherassay.studies.weeks2000 import key_jump_kept

    return [Part("hardware", "kept devices", [key_jump_kept.job(ciphers)]).complete()]
