"""The layout with one record per line: ``T=KAT SET=ecb_vk KS=128 I=1 KEY=… PT=… CT=…``.

One of a cipher with a tweak has ``TWEAK=…`` as well. A record of a permutation has its two states:
``T=KAT SET=paper I=1 IN=… OUT=…``; one of a function, with KEY where it takes a key, its input and output.

Fields are separated by spaces and stand in any order; lines that begin with ``#`` are comments.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from cipherassay.errors import DescriptionError, Place
from cipherassay.vectors.backend import MODES
from cipherassay.vectors.fields import Field, closest, require, shorten
from cipherassay.vectors.records import CONVENTIONS, KINDS, Kind, Record

FIELDS = ("T", "SET", "KS", "I", "CONV", "KEY", "IV", "TWEAK", "PT", "CT", "IT100", "IT1000", "IN", "OUT")
NEEDED = ("T", "SET", "KS", "I", "KEY", "PT", "CT")
WITHOUT_KEY = ("T", "SET", "I", "IN", "OUT")


def parse(path: str, text: str, block: int, output: int = 0) -> Iterator[Record]:
    """Yield the records of a file.

    `block` is the size in bytes of what the cipher takes, with its tweak; `output` that of what it makes of
    it, if this differs.

    Raises
    ------
    DescriptionError
        ``K003`` to ``K009`` with file and line: not ``NAME=value``, a field that is unknown, given twice,
        missing, malformed, of the wrong length, or that does not belong to the record.
    """
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            fields, place = _split(line, Place(path, number)), Place(path, number)
            if "IN" in fields or "OUT" in fields:
                yield _in_and_out(fields, place, block, output or block)
            else:
                size = min(block, output or block)
                yield _record(fields, place, size, block - size)


def _split(line: str, place: Place) -> dict[str, Field]:
    fields: dict[str, Field] = {}
    for part in line.split():
        name, equals, value = part.partition("=")
        if not equals:
            raise DescriptionError("K003", f"`{shorten(part)}` is not of the form NAME=value", places=[place])
        if name not in FIELDS:
            raise DescriptionError(
                "K004", f"unknown field `{shorten(name)}`", places=[place], help=closest(name, FIELDS)
            )
        if name in fields:
            raise DescriptionError("K026", f"{name} is given twice in one record", places=[place])
        fields[name] = Field(name, value, place)
    return fields


def _record(fields: dict[str, Field], place: Place, block: int, tweak: int) -> Record:
    require(fields, [*NEEDED, *["TWEAK"][: bool(tweak)]], place, "the record")
    kind = cast(Kind, fields["T"].choice(KINDS))
    name = fields["SET"].choice(MODES) if kind == "MCT" else fields["SET"].value
    _check_iv(kind, name, fields, place)
    key_bits = fields["KS"].key_size()
    message = kind in ("ECB", "CBC")
    plaintext = fields["PT"].blocks(whole=not message, size=block)
    ciphertext = fields["CT"].blocks(whole=not message, size=block)
    if len(plaintext) != len(ciphertext):
        raise fields["CT"].wrong_length(f"{len(plaintext)} bytes as in PT", len(ciphertext))
    return Record(
        kind=kind,
        set=name,
        key_bits=key_bits,
        index=fields["I"].number(),
        key=fields["KEY"].key(key_bits),
        plaintext=plaintext,
        ciphertext=ciphertext,
        iv=fields["IV"].blocks(whole=True, size=block) if "IV" in fields else b"",
        convention=fields["CONV"].choice(CONVENTIONS) if "CONV" in fields else "",
        after=_iterated(kind, fields, block),
        tweak=_tweak(fields, tweak),
        block=block,
        place=place,
    )


def _tweak(fields: dict[str, Field], size: int) -> bytes:
    """Return the tweak, which only single blocks of a cipher that takes one have."""
    if "TWEAK" not in fields:
        return b""
    if not size:
        raise fields["TWEAK"].error("K035", "TWEAK does not belong to a record of a cipher without a tweak")
    for name in ("IT100", "IT1000"):
        if name in fields:
            raise fields[name].error("K009", f"{name} does not belong to a record with TWEAK")
    fields["T"].choice(["KAT"])
    return fields["TWEAK"].blocks(whole=True, size=size)


def _in_and_out(fields: dict[str, Field], place: Place, block: int, output: int) -> Record:
    """Return the record of a permutation, or of a function."""
    require(fields, WITHOUT_KEY, place, "the record of a permutation")
    key = fields["KEY"].data() if "KEY" in fields else b""
    for name in fields:
        if name not in (*WITHOUT_KEY, "KEY"):
            raise fields[name].error(
                "K032",
                f"{name} does not belong to a record with IN and OUT",
                f"expected {', '.join(WITHOUT_KEY)}",
            )
    return Record(
        kind=cast(Kind, fields["T"].choice(("KAT",))),
        set=fields["SET"].value,
        key_bits=8 * len(key),
        index=fields["I"].number(),
        key=key,
        plaintext=fields["IN"].blocks(whole=True, size=block),
        ciphertext=fields["OUT"].blocks(whole=True, size=output),
        fields=("IN", "OUT"),
        block=block,
        place=place,
    )


def _iterated(kind: Kind, fields: dict[str, Field], block: int) -> tuple[tuple[int, bytes], ...]:
    """Read IT100 and IT1000, which only a single block has."""
    given = [(times, fields[name]) for times, name in ((100, "IT100"), (1000, "IT1000")) if name in fields]
    if given and kind != "KAT":
        name = given[0][1].name
        raise given[0][1].error(
            "K009", f"{name} does not belong to a record of T={kind}", "only T=KAT has it"
        )
    return tuple((times, field.blocks(whole=True, size=block)) for times, field in given)


def _check_iv(kind: Kind, name: str, fields: dict[str, Field], place: Place) -> None:
    """Check that IV is there exactly where a chaining mode needs it."""
    chained = kind == "CBC" or (kind == "MCT" and name.startswith("cbc"))
    if chained:
        require(fields, (*NEEDED, "IV"), place, "the CBC record")
    elif "IV" in fields:
        raise fields["IV"].error(
            "K009", f"IV does not belong to a record of T={kind} SET={shorten(name)}", "only CBC has an IV"
        )
