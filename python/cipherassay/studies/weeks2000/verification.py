"""What is kept of key schedules that jump, checked: the Verilog is what is written now."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cipherassay.keeping.verification import (
    OTHER_SCHEMA,
    Unit,
    Verdict,
    by_file,
    is_of_package,
    not_checked,
    plain,
)
from cipherassay.studies.weeks2000 import key_jump_kept


def key_jumps() -> list[Unit]:
    """Return the work of verifying kept results of last key words: the sums give the matrix."""
    return by_file(key_jump_kept.KIND, "*.json", _key_jump)


def _key_jump(path: Path) -> Iterator[Verdict]:
    document = key_jump_kept.load(path)
    if document is None:
        yield plain(key_jump_kept.KIND, path, OTHER_SCHEMA)
    elif not is_of_package(document["cipher"]):
        yield not_checked(key_jump_kept.KIND, path)
    else:
        kept = sum(len(one["grades"]) for forms in document["results"].values() for one in forms.values())
        of_now = {
            (technology, row.configuration)
            for technology in document["results"]
            for row in key_jump_kept.rows_of(document, technology)
        }
        yield plain(key_jump_kept.KIND, path, "" if len(of_now) == kept else "its Verilog is another by now")
