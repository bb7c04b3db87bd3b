"""Which keys a device takes, in the words of rows."""

from __future__ import annotations


def key_mode(version: str) -> str | None:
    """Return the key mode of a device of a key version (`build.key_version`); None where it has no key."""
    if not version:
        return None
    if version.isdecimal():
        return "one size"
    return "several sizes" if "+" in version else "all sizes"
