"""Where a cipher's vectors lie, and where it departs from its kept intermediate values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cipherassay.ciphers import Cipher
from cipherassay.errors import Place
from cipherassay.vectors import intermediate
from cipherassay.vectors.fields import Field, require
from cipherassay.vectors.first_difference import Difference

FOLDER = Path(__file__).parent / "data"
_OWN = Path(__file__).parent.parent / "ciphers"
ANSWERS = ".kat.txt"
"""How the name of a file with known answers ends that lies beside a cipher's file."""
LISTED = "_iv.txt"
"""How the name of a file ends that lists intermediate values, as `assay kat generate` writes them."""
RECORDS = "0-19,399"
"""The Monte Carlo records that are kept; `assay kat generate` makes all 400."""

_LINE = re.compile(r"((?:\w+=-?\d+ )*)(\S.*)=([0-9A-F]+)$")


def folder_name(cipher: Cipher, variant: str) -> str:
    """Return the name of the folder with a cipher's vectors: ``CIPHER_VARIANT``."""
    return "_".join([cipher.slug, *re.findall(r"\w+", variant)])


def find_answers(file: Path, cipher: Cipher) -> list[tuple[Path, str]]:
    """Return the vector files of a cipher, each with the variant that it is of.

    They lie beside its file as ``NAME*.kat.txt``; those of the project's own ciphers lie with the vectors.
    """
    found = [(path, variant_of(path, cipher)) for path in beside(file, ANSWERS)]
    if file.resolve().parent == _OWN.resolve():
        for variant in ("", *cipher.variants):
            folder = FOLDER / folder_name(cipher, variant)
            found += [
                (path, variant) for path in sorted(folder.glob("*.txt")) if not path.stem.endswith("_iv")
            ]
    return found


def beside(file: Path, ending: str) -> list[Path]:
    """Return the files of a cipher's file that lie beside it, ``NAME*ENDING``, in alphabetical order."""
    found = [path for path in file.parent.iterdir() if path.name.endswith(ending)]
    return sorted(path for path in found if described_in(path) == file)


def described_in(path: Path) -> Path | None:
    """Return the cipher's file whose name a file beside it begins with: of several the longest."""
    found = [one for one in path.parent.glob("*.py") if path.name.startswith(one.stem)]
    return max(found, key=lambda one: len(one.stem), default=None)


def variant_of(answers: Path, cipher: Cipher) -> str:
    """Return the cipher's variant that a file's name says, or its folder's; else the default one."""
    folder = answers.resolve().parent.name
    named = (
        v for v in cipher.variants if v.replace("-", "_") in answers.stem or folder == folder_name(cipher, v)
    )
    return next(named, "")


def difference_from_kept(cipher: Cipher, variant: str, key_bits: int) -> Difference | None:
    """Compare a plain run with the kept intermediate values; None where they agree or none are kept."""
    of_size = kept_sections(cipher, variant, key_bits)
    return next((found for s in of_size if (found := difference_from_section(cipher, variant, s))), None)


def kept_sections(cipher: Cipher, variant: str, key_bits: int) -> list[Section]:
    """Return the kept intermediate values for a key size, of a user's cipher also ``NAME*_iv.txt``."""
    file = Path(cipher.file)
    paths = [FOLDER / folder_name(cipher, variant) / "ecb_iv.txt"]
    if file.resolve().parent != _OWN.resolve():
        paths += [path for path in beside(file, LISTED) if variant_of(path, cipher) == variant]
    every = (one for path in paths if path.is_file() for one in sections(path, cipher.block_bits // 8))
    return [section for section in every if section.key_bits == key_bits]


@dataclass(frozen=True, slots=True)
class Section:
    """The intermediate values of one key size in a file that `assay kat generate` wrote."""

    place: Place
    key_bits: int
    key: bytes
    text: bytes
    lines: tuple[tuple[int, str], ...]
    """Line number and text, from ``KEYSIZE=`` on."""


def sections(path: Path, block: int) -> Iterator[Section]:
    """Yield the sections of a file of intermediate values of a cipher with blocks of so many bytes.

    Raises
    ------
    DescriptionError
        ``K005`` to ``K008``, with file and line: a section lacks its key or plaintext, or they are broken.
    """
    lines = [(n, line) for n, line in enumerate(path.read_text().splitlines(), start=1) if line.strip()]
    begins = [n for n, (_, line) in enumerate(lines) if line.startswith("KEYSIZE=")]
    for begin, end in zip(begins, [*begins[1:], len(lines)], strict=True):
        part = lines[begin:end]
        fields: dict[str, Field] = {}
        for number, line in part:
            name, _, value = line.partition("=")
            if name in ("KEYSIZE", "KEY", "PT"):
                fields.setdefault(name, Field(name, value, Place(str(path), number)))
        place = fields["KEYSIZE"].place
        require(fields, ("KEYSIZE", "KEY", "PT"), place, "the section")
        key_bits = fields["KEYSIZE"].key_size()
        key, text = fields["KEY"].key(key_bits), fields["PT"].blocks(whole=True, size=block)
        yield Section(place, key_bits, key, text, tuple(part))


def difference_from_section(cipher: Cipher, variant: str, section: Section) -> Difference | None:
    """Run the description on a section's block and return the first line that is another; None: none is."""
    now = intermediate.listing(cipher, variant, section.key_bits, section.key, section.text)
    path, function = Path(section.place.file), "key_schedule"
    computed = [line for line in now if line]
    for n, found in enumerate(computed):
        number, expected = section.lines[n] if n < len(section.lines) else (section.lines[-1][0], "")
        if expected.startswith(("PT=", "CT=")):
            function = {"P": "encrypt", "C": "decrypt"}[expected[0]]
        if expected != found:
            reference = f"{path.resolve().parent.name}/{path.name}:{number}"
            return _difference(function, expected, found, reference)
    return None


def _difference(function: str, expected: str, found: str, reference: str) -> Difference:
    old, new = _LINE.match(expected), _LINE.match(found)
    if old is None or new is None or old.groups()[:2] != new.groups()[:2]:
        return Difference(function, "", f"`{expected}`", f"`{found}`", reference)
    counters = ", ".join(part.replace("=", " = ") for part in old[1].split())
    where = f"{function}, {counters}" if counters else function
    return Difference(where, old[2], old[3], new[3], reference)
