"""Published sets of equations for the boxes of a cipher: one file each in ``equations/``."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from cipherassay.circuits import boxes, documents, engine
from cipherassay.circuits.documents import Document

FOLDER = Path(__file__).parent / "equations"


@cache
def equations(name: str) -> dict[str, Document]:
    """Return a published set by the variants of its boxes (``S3``, ``I3``), each checked against its box.

    Raises
    ------
    VerificationError
        ``C103``, ``C104``: a circuit does not compute its box.
    """
    path = FOLDER / f"{name}.txt"
    found = {}
    for document in documents.parse(path.read_text(encoding="utf-8"), str(path)):
        box = boxes.find(document.name)
        engine.check(document.text(), box)
        found[box.variant] = document
    return found
