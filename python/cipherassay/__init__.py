"""Cipherassay: what a block cipher costs, on processors and in gates, from one description.

As a library, ``import cipherassay as ca``: `cipherassay.api` says what there is; docs/python.md shows it.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cipherassay.api import (
        Cipher,
        EmittedFiles,
        Program,
        Rows,
        Schedule,
        Verdicts,
        cipher,
        list_ciphers,
        list_processors,
        load,
        rows,
        sql,
    )

    __version__: str

__all__ = [
    "Cipher", "EmittedFiles", "Program", "Rows", "Schedule", "Verdicts", "__version__", "cipher",
    "list_ciphers", "list_processors", "load", "rows", "sql",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Return the version of the installed package, or a name of `cipherassay.api`, when it is asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "__version__":
        from importlib.metadata import version

        return version(__name__)
    from cipherassay import api

    return getattr(api, name)


def __dir__() -> list[str]:
    """Return the names that completion offers."""
    return sorted({*globals(), *__all__})


def load_ipython_extension(shell: Any) -> None:
    """Add the cell magic ``%%cipher NAME``: ``%load_ext cipherassay`` in a notebook."""
    from cipherassay.api.descriptions import cell_magic

    cell_magic(shell)
