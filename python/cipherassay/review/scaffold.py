"""The scaffolds of cipher files: small ciphers that run, in the layout that every cipher file has."""

from __future__ import annotations

import keyword
import re
from importlib.resources import files
from importlib.resources.abc import Traversable

from cipherassay.errors import UsageError, nearest

_COMMENT_COLUMN = 53
PADS = (
    ("pad_key", "key_schedule"), ("pad_enc", "encrypt"), ("pad_dec", "decrypt"), ("pad_perm", "permute"),
    ("pad_inv", "inverse"),
)  # fmt: skip


def likes() -> list[str]:
    """Return what a new cipher can be like: ``arx``, ``feistel``, ``permutation``, ``spn``."""
    names = [one.name for one in _templates().iterdir()]
    return sorted(name.partition(".")[0] for name in names if name.endswith(".py.template"))


def _templates() -> Traversable:
    return files("cipherassay.review") / "templates"


def scaffold_cipher(name: str, like: str = "arx") -> tuple[str, str]:
    """Return (file name, text) of a new cipher's file, made from one of `likes`.

    Raises
    ------
    UsageError
        ``U020``: the name cannot be that of a cipher. ``U021``: there is such a cipher already.
        ``U037``: there is no scaffold that it could be like.
    """
    from cipherassay.ciphers import names

    slug = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    if not slug or not slug[0].isalpha() or keyword.iskeyword(slug) or not name.isprintable() or '"' in name:
        raise UsageError(
            "U020",
            f"`{name}` cannot be the name of a cipher",
            help="a name begins with a letter and goes on with letters, digits, `-`, `_` or spaces",
        )
    if slug in names():
        raise UsageError(
            "U021",
            f"there is a cipher `{slug}` already",
            help=f"choose another name; `assay show {slug}` shows the one that exists",
        )
    if like not in likes():
        raise UsageError("U037", f"there is no scaffold like `{like}`", help=nearest(like, likes()))
    text = (_templates() / f"{like}.py.template").read_text(encoding="utf-8")
    pads = {
        pad: " " * max(1, _COMMENT_COLUMN - len(f"@{slug}.{what}"))
        for pad, what in PADS
    }
    for field, value in {"Name": name, "slug": slug, **pads}.items():
        text = text.replace(f"{{{field}}}", value)
    return f"{slug}.py", text
