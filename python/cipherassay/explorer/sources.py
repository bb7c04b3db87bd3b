"""The descriptions that the page offers: the project's ciphers, and the files that it was started with."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cipherassay.errors import UsageError, nearest
from cipherassay.explorer.protocol import MOST_TEXT, too_long


@dataclass(frozen=True)
class Document:
    """A description.

    Parameters
    ----------
    name : str
        As requests call it.
    path : Path
        Its file.
    own : bool
        Whether it is a file of the user's; else one of the project's ciphers.
    """

    name: str
    path: Path
    own: bool

    @property
    def text(self) -> str:
        """Return the description; raises UsageError ``W002`` if it is too long, ``U0xx`` if it is no text."""
        from cipherassay.lang.files import read_source

        data = read_source(self.path)
        if len(data) > MOST_TEXT:
            raise too_long()
        return data.decode()

    def put_answers(self, folder: Path, stem: str) -> None:
        """Copy the known answers that lie beside a user's file to a folder, for a description of a stem."""
        from cipherassay.vectors.kept import ANSWERS, LISTED, beside

        for ending in (ANSWERS, LISTED) if self.own else ():
            for path in beside(self.path, ending):
                shutil.copyfile(path, folder / (stem + path.name.removeprefix(self.path.stem)))


def documents(files: Sequence[Path]) -> Mapping[str, Document]:
    """Return the documents by name, files of the user first."""
    from cipherassay import ciphers

    found = {}
    for number, path in enumerate(files):
        found[f"file.{number}.{re.sub(r'[^A-Za-z0-9_]', '_', path.stem)}"[:64]] = path
    own = {name: Document(name, path, True) for name, path in found.items()}
    folder = Path(ciphers.__file__).parent
    return own | {name: Document(name, folder / f"{name}.py", False) for name in ciphers.names()}


def document(known: Mapping[str, Document], name: str) -> Document:
    """Return a document by its name; raises UsageError ``W003`` if there is none."""
    if name not in known:
        raise UsageError("W003", f"there is no document `{name}`", help=nearest(name, known))
    return known[name]
