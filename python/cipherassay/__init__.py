"""Cipherassay: what a block cipher costs, on processors and in gates, from one description."""

from typing import Any


def __getattr__(name: str) -> Any:
    """Return ``__version__`` of the installed package, looked up when it is asked for."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version

    return version(__name__)
