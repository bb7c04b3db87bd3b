"""What `assay check` says of technologies: defects of their Liberty files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cipherassay.console.output import output, write_json
from cipherassay.errors import UsageError, VerificationError


def check(names: Sequence[str], liberty: Path | None, *, json: bool) -> None:
    """Check units, cells, areas against LEF, transistors against SPICE, functions, arcs, and tables.

    Looked at is the Liberty file as synthesis sees it: mended as the technology's file says. One that was
    characterized here is compared with logical effort, too.
    """
    from cipherassay.hardware.characterization import technology_check
    from cipherassay.hardware.libraries import technology

    wanted = names or [n for n in technology.names() if technology.load(n).liberty is not None]
    source = None
    if liberty is not None:
        try:
            source = liberty.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                "U034",
                f"`{liberty}` cannot be read",
                notes=[error.strerror or str(error) if isinstance(error, OSError) else str(error)],
                help="name a Liberty file: --liberty FILE",
            ) from None
    found = {name: technology_check.check(technology.load(name), source) for name in wanted}
    if json:
        write_json(
            {
                name: [{"cell": d.cell, "message": d.message, "line": d.place.line} for d in defects]
                for name, defects in found.items()
            }
        )
    else:
        for name, defects in found.items():
            for defect in defects:
                output().print(f"{name}: {defect}", markup=False, soft_wrap=True)
            if not defects:
                output().print(f"{name}: no defect", markup=False)
    count = sum(map(len, found.values()))
    if count:
        wrong = ", ".join(name for name, defects in found.items() if defects)
        raise VerificationError("H607", f"{count} defect{'' if count == 1 else 's'}: {wrong}")
