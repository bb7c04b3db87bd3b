"""Reading a file of known answers in either layout, recognized by its content."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from cipherassay.errors import DescriptionError, Place, UsageError
from cipherassay.vectors import nist_layout, record_layout
from cipherassay.vectors.backend import BLOCK
from cipherassay.vectors.records import VectorFile


def read_vectors(path: Path, block: int = BLOCK, output: int = 0) -> VectorFile:
    """Read a vector file: one record per line (``T=KAT SET=…``), or the layout of NIST's files of 1998.

    `block` is the size in bytes of what the cipher takes, with its tweak; `output` that of what it makes of
    it, if this differs.

    Raises
    ------
    UsageError
        ``K001``: the file cannot be read.
    DescriptionError
        ``K002`` to ``K010``, ``K024`` to ``K032``, ``K035``, with file and line: what is wrong in it.
    """
    text = read_text(path)
    name = str(path)
    content = [
        (number, line)
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not content:
        raise DescriptionError("K024", "the file has no record", places=[Place(name)])
    if any(line.lstrip().startswith("KEYSIZE") for _, line in content):
        return VectorFile(name, "nist", nist_layout.parse(name, text, block), algorithm_of(text))
    number, line = content[0]
    if "=" not in line.split()[0].strip("="):
        raise DescriptionError(
            "K002",
            "this is not a file of known answers",
            places=[Place(name, number, text=line[:80])],
            notes=["expected records T=… SET=… KEY=…, or sections that begin with KEYSIZE="],
        )
    records = tuple(record_layout.parse(name, text, block, output))
    return VectorFile(name, "records", records, algorithm_of(text))


def read_again(path: Path, block: int = BLOCK, output: int = 0) -> VectorFile:
    """Read a vector file as `read_vectors` does, once while it does not change."""
    try:
        now = path.stat()
    except OSError:
        return read_vectors(path, block, output)
    return _read(path, block, output, now.st_mtime_ns, now.st_size)


@lru_cache(maxsize=64)
def _read(path: Path, block: int, output: int, changed: int, size: int) -> VectorFile:
    return read_vectors(path, block, output)


def algorithm_of(text: str) -> str:
    """Return how a file's head names the cipher: ``Algorithm Name:``, or the first comment up to a colon."""
    header = re.search(r"^Algorithm Name:[ \t]*(.*)$", text, re.MULTILINE)
    if header:
        return header[1].strip()
    first = text.lstrip().partition("\n")[0]
    return first.lstrip("# ").partition(":")[0].strip() if first.startswith("#") else ""


def read_text(path: Path) -> str:
    """Read a file of text.

    Raises
    ------
    UsageError
        ``K001``: the file cannot be read.
    DescriptionError
        ``K025``: it holds what is not ASCII.
    """
    try:
        return path.read_bytes().decode("ascii")
    except OSError as error:
        raise UsageError(
            "K001", f"the file `{path}` cannot be read", notes=[error.strerror or str(error)]
        ) from None
    except UnicodeDecodeError as error:
        line = bytes(error.object[: error.start]).count(b"\n") + 1
        raise DescriptionError(
            "K025",
            "the file is not text",
            places=[Place(str(path), line)],
            notes=[f"expected ASCII, found the byte 0x{error.object[error.start]:02X}"],
        ) from None
