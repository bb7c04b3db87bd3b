"""The layout of the files that NIST collected in 1998: ``ecb_vk.txt``, ``ecb_tbl.txt``, ``ecb_e_m.txt`` …

A header, then per key size a section that begins with ``KEYSIZE=``; in it records of one ``NAME=value`` per
line. What stands before a section's first ``I=`` (the key of ``ecb_vt``, the text of ``ecb_vk``) holds for
all of its records. The kind comes from ``FILENAME:`` in the header or, without it, from the file's own name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from cipherassay.errors import DescriptionError, Place, nearest
from cipherassay.vectors.backend import MODES
from cipherassay.vectors.fields import Field, closest, require, shorten
from cipherassay.vectors.records import Kind, Record

KNOWN_ANSWER_SETS = ("ecb_vk", "ecb_vt", "ecb_tbl")
FIELDS = ("KEYSIZE", "I", "KEY", "IV", "PT", "CT")
_FIELD = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]*)\s*=\s*(\S*)\s*$")
_SEPARATOR = re.compile(r"[=\-*#\s]*$")
_FILENAME = re.compile(r'^FILENAME:[ \t]*"?([^"\n]*)', re.MULTILINE)


def parse(path: str, text: str, block: int) -> tuple[Record, ...]:
    """Return the records of a file for a cipher with blocks of so many bytes.

    Raises
    ------
    DescriptionError
        ``K003`` to ``K009``, ``K026`` to ``K031`` with file and line; ``K010``: nothing says which test
        the file is of.
    """
    return tuple(_Reader(path, _set_name(path, text), block).read(text))


def _set_name(path: str, text: str) -> str:
    known = (*KNOWN_ANSWER_SETS, *MODES)
    header = _FILENAME.search(text)
    given = header[1].strip() if header else ""
    for name in (given, PurePath(path).name):
        stem = PurePath(name).stem.lower()
        if stem in known:
            return stem
    raise DescriptionError(
        "K010",
        "nothing says which test this file is of",
        places=[Place(path)],
        notes=[
            f"expected a header line FILENAME: or a file name, one of {', '.join(f'{n}.txt' for n in known)}",
            f"found FILENAME: {given}" if given else "found no FILENAME: line in the header",
        ],
        help=nearest(PurePath(given or path).stem, known),
    )


class _Reader:
    """Reads one file; keeps the fields of the section and of the record at hand."""

    def __init__(self, path: str, name: str, block: int) -> None:
        self.path, self.name, self.block = path, name, block
        self.kind: Kind = "MCT" if name in MODES else "KAT"
        self.section: dict[str, Field] = {}
        self.record: dict[str, Field] = {}
        self.records_in_section = 0
        self.in_comment = False  # between /* and */, which some submitters put before the header

    def read(self, text: str) -> Iterator[Record]:
        for number, line in enumerate(text.splitlines(), start=1):
            field = self._field(line, Place(self.path, number))
            if field is None:
                continue
            if field.name in ("KEYSIZE", "I"):
                yield from self._finish(end_of_section=field.name == "KEYSIZE")
            self._take(field)
        yield from self._finish(end_of_section=True)

    def _field(self, line: str, place: Place) -> Field | None:
        """Return the line's field; None for what is header, comment, separator or empty."""
        if self.in_comment or line.lstrip().startswith("/*"):
            self.in_comment = "*/" not in line
            return None
        match = _FIELD.match(line)
        if match and match[1].upper() in FIELDS:
            return Field(match[1].upper(), match[2], place)
        if not self.section or _SEPARATOR.match(line) or line.lstrip().startswith((";", "--")):
            return None
        if match:
            raise DescriptionError(
                "K004",
                f"unknown field `{shorten(match[1])}`",
                places=[place],
                help=closest(match[1], FIELDS),
            )
        raise DescriptionError(
            "K003", f"`{shorten(line.strip())}` is not of the form NAME=value", places=[place]
        )

    def _take(self, field: Field) -> None:
        if field.name == "KEYSIZE":
            self.section, self.records_in_section = {"KEYSIZE": field}, 0
            return
        if not self.section:
            raise field.error("K027", f"{field.name} stands before the first KEYSIZE=")
        if field.name in self.record or field.name in self.section:
            raise field.error("K026", f"{field.name} is given twice in one record")
        target = self.record if self.record or field.name == "I" else self.section
        target[field.name] = field

    def _finish(self, *, end_of_section: bool) -> Iterator[Record]:
        if self.record:
            fields, self.record = {**self.section, **self.record}, {}
            self.records_in_section += 1
            yield self._build(fields)
        if end_of_section and self.section and not self.records_in_section:
            raise self.section["KEYSIZE"].error(
                "K028", "the section has no record", "expected I= after KEYSIZE="
            )

    def _build(self, fields: dict[str, Field]) -> Record:
        place = fields["I"].place
        needed = ("KEYSIZE", "I", "KEY", "PT", "CT", *(("IV",) if self.name.startswith("cbc") else ()))
        require(fields, needed, place, f"the record I={fields['I'].value}")
        if "IV" in fields and "IV" not in needed:
            raise fields["IV"].error("K009", f"IV does not belong to a record of {self.name}")
        key_bits = fields["KEYSIZE"].key_size()
        return Record(
            kind=self.kind,
            set=self.name,
            key_bits=key_bits,
            index=fields["I"].number(),
            key=fields["KEY"].key(key_bits),
            plaintext=fields["PT"].blocks(whole=True, size=self.block),
            ciphertext=fields["CT"].blocks(whole=True, size=self.block),
            iv=fields["IV"].blocks(whole=True, size=self.block) if "IV" in fields else b"",
            convention="nist",
            block=self.block,
            place=place,
        )
