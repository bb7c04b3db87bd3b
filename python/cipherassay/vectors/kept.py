"""The vectors that the project carries, and where a cipher departs from its kept intermediate values."""

from __future__ import annotations

import re
from pathlib import Path

from cipherassay.ciphers import Cipher
from cipherassay.vectors import intermediate
from cipherassay.vectors.first_difference import Difference

FOLDER = Path(__file__).parent / "data"
RECORDS = "0-19,399"
"""The Monte Carlo records that are kept; `assay kat generate` makes all 400."""

_LINE = re.compile(r"((?:\w+=-?\d+ )*)(\S.*)=([0-9A-F]+)$")


def folder_name(cipher: Cipher, variant: str) -> str:
    """Return the name of the folder with a cipher's vectors: ``mars_round_1``."""
    return "_".join([cipher.slug, *re.findall(r"\w+", variant)])


def difference_from_kept(cipher: Cipher, variant: str, key_bits: int) -> Difference | None:
    """Compare a plain run with the kept intermediate values; None where they agree or none are kept."""
    path = FOLDER / folder_name(cipher, variant) / "ecb_iv.txt"
    if not path.is_file():
        return None
    kept = _section(path.read_text().splitlines(), key_bits)
    key, text = intermediate.test_key(key_bits), intermediate.TEXT
    now = intermediate.listing(cipher, variant, key_bits, key, text)
    function = "key_schedule"
    for (number, expected), found in zip(kept, (line for line in now if line), strict=False):
        if expected.startswith(("PT=", "CT=")):
            function = {"P": "encrypt", "C": "decrypt"}[expected[0]]
        if expected != found:
            reference = f"{path.parent.name}/{path.name}:{number}"
            return _difference(function, expected, found, reference)
    return None


def _section(lines: list[str], key_bits: int) -> list[tuple[int, str]]:
    begin = lines.index(f"KEYSIZE={key_bits}")
    end = lines.index("==========", begin)
    return [(n + 1, lines[n]) for n in range(begin, end + 1) if lines[n]]


def _difference(function: str, expected: str, found: str, reference: str) -> Difference:
    old, new = _LINE.match(expected), _LINE.match(found)
    if old is None or new is None or old.groups()[:2] != new.groups()[:2]:
        return Difference(function, "", f"`{expected}`", f"`{found}`", reference)
    counters = ", ".join(part.replace("=", " = ") for part in old[1].split())
    where = f"{function}, {counters}" if counters else function
    return Difference(where, old[2], old[3], new[3], reference)
