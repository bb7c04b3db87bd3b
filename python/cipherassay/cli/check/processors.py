"""What `assay check` says of models of processors: the contradictions in their files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cipherassay.console.output import output, write_json
from cipherassay.errors import VerificationError


def check(names: Sequence[str], path: Path | None, *, json: bool) -> None:
    """Look for contradictions: classes without ports, entries without sources, operands that do not fit."""
    from cipherassay import families

    wanted = names or families.names(path)
    found = {name: families.family_of(name, path).check(name, path) for name in wanted}
    count = sum(map(len, found.values()))
    if json:
        write_json({name: [_fields(error) for error in errors] for name, errors in found.items()})
    else:
        for name, errors in found.items():
            for error in errors:
                output().print(f"{name}: {error}", markup=False, soft_wrap=True)
            if not errors:
                output().print(f"{name}: no contradiction", markup=False)
    if count:
        s = "" if count == 1 else "s"
        wrong = ", ".join(name for name, errors in found.items() if errors)
        raise VerificationError("M702", f"{count} contradiction{s}: {wrong}")


def _fields(error: Any) -> dict[str, Any]:
    return {
        "code": error.code,
        "message": error.message,
        "places": [str(place) for place in error.places],
        "notes": list(error.notes),
        "help": error.help,
    }
