"""What a name on the command line is the name of: a cipher, a paper, a processor or a technology."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from cipherassay.errors import UsageError

Kind = Literal["ciphers", "published", "processors", "technologies"]
KINDS: tuple[Kind, ...] = ("ciphers", "published", "processors", "technologies")


def kind_of(name: str, path: Path | None = None) -> Kind:
    """Return what has a name; ``path`` is a user's folder with more processors or papers.

    A text with a slash, and one that ends in ``.py``, is a cipher's file, one that ends in ``.toml`` a
    technology's.

    Raises
    ------
    UsageError
        ``U017``: nothing is called so.
    """
    from cipherassay import ciphers, families, published
    from cipherassay.hardware.libraries import technology
    from cipherassay.processors import INFINITE

    if name.endswith(".toml"):
        return "technologies"
    if name.endswith(".py") or "/" in name or ciphers.find(name) is not None:
        return "ciphers"
    processors, papers, technologies = families.names(path), published.names(path), technology.names()
    if name in papers:
        return "published"
    if name.removesuffix(INFINITE) in processors:
        return "processors"
    if name in technologies:
        return "technologies"
    raise UsageError(
        "U017", f"no cipher, paper, processor or technology is called `{name}`",
        help=ciphers.meant(name, [*papers, *processors, *technologies]),
    )  # fmt: skip
