"""Which cipher and variant a vector file is of, from its header, its name and its folder."""

from __future__ import annotations

import re
from pathlib import Path

from cipherassay.ciphers import Cipher, load, names
from cipherassay.errors import UsageError, nearest
from cipherassay.vectors.kept import ANSWERS, LISTED, described_in


def which_cipher(path: Path, algorithm: str, cipher: str = "", variant: str = "") -> tuple[Cipher, str]:
    """Return the cipher and the variant that a file is to be checked against.

    What is not given is looked for beside the file: ``NAME.py`` of ``NAME*.kat.txt`` and ``NAME*_iv.txt``.
    Then in `algorithm`, that is what the header says (``Algorithm Name: NAME``, or the first comment), in
    the file's name, and in its folder's name.

    Raises
    ------
    UsageError
        ``K012``: neither given nor found. ``U011``: the cipher has no such variant. ``U014``: no such cipher.
    """
    texts = [_words(text) for text in (algorithm, path.name, path.resolve().parent.name)]
    name = cipher or _beside(path) or next((slug for text in texts if (slug := _named_in(text))), "")
    if not name:
        raise UsageError(
            "K012",
            f"nothing says which cipher the vectors in `{path}` are of",
            notes=["looked beside it for a cipher's file, at its header, its name and its folder's name"],
            help="say --cipher NAME, or --cipher FILE (`assay list ciphers` shows the names)",
        )
    found = load(name)
    if variant:
        if variant not in found.variants:
            raise UsageError(
                "U011", f"{found.name} has no variant `{variant}`", help=nearest(variant, found.variants)
            )
        return found, variant
    joined = ["_".join(text) for text in texts]
    return found, next((v for v in found.variants for text in joined if "_".join(_words(v)) in text), "")


def _beside(path: Path) -> str:
    """Return the cipher file beside a file of known answers or of intermediate values, which has its name."""
    if not path.name.endswith((ANSWERS, LISTED)):
        return ""
    return str(described_in(path) or "")


def _named_in(words: list[str]) -> str:
    """Return the cipher whose name stands among the words; of several the one with the longest name."""
    joined = f"_{'_'.join(words)}_"
    return max((slug for slug in names() if f"_{slug}_" in joined), key=len, default="")


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+\d*|\d+", text.lower())
