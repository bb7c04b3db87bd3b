"""Which keys a device takes, in the words of rows."""

from __future__ import annotations

from cipherassay.hardware.rtl.build import TOGETHER


def key_mode(version: str) -> str | None:
    """Return the key mode of a device of a key version (`build.key_version`); None where it has no key."""
    if not version:
        return None
    return "all sizes" if version == TOGETHER else "one size"
