"""Results of synthesis that are kept in the package, and whether the designs are still those they are of."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay import keeping
from cipherassay.errors import AssayError, VerificationError
from cipherassay.hardware.results import design_hashes
from cipherassay.hardware.results import rows as making
from cipherassay.hardware.results.documents import Document
from cipherassay.hardware.results.figures import figures
from cipherassay.hardware.rtl.hashes import verilog_hash

if TYPE_CHECKING:
    from cipherassay.hardware.rtl.build import Device
    from cipherassay.results import Row

KIND = "grades"
"""The kind of kept artefacts; a folder per technology."""
STALE = "H743"
"""The code of the error that says that a design has changed since."""
_NEEDED = (
    "design", "cipher", "architecture", "key", "direction", "technology", "strategies", "grades",
)  # fmt: skip


def keep(document: Document) -> Path:
    """Keep a design's document; return its file."""
    name = f"{document['cipher']}-{document['architecture']}-{document['key']}.json"
    return keeping.write(KIND, f"{document['technology']}/{name}", text_of(document))


def text_of(document: Document) -> str:
    """Return the text of a document: a line for each grade, function and point, so that it can be read."""
    lines = []
    for name, value in document.items():
        if name in ("grades", "points") or name == "functions":
            lines.append(f' "{name}": {_lines(value, 3 if name == "functions" else 1)}')
        else:
            lines.append(f' "{name}": {json.dumps(value, ensure_ascii=False)}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _lines(value: object, depth: int) -> str:
    if depth and isinstance(value, dict):
        inner = [f"{json.dumps(name)}: {_lines(one, depth - 1)}" for name, one in value.items()]
        return "{\n  " + ",\n  ".join(inner) + "}"
    if depth and isinstance(value, list):
        return "[\n  " + ",\n  ".join(json.dumps(one, ensure_ascii=False) for one in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def load(path: Path) -> Document | None:
    """Return a kept document; None if it follows another version of the schema.

    Raises
    ------
    DescriptionError
        ``A001``: the file is damaged.
    """
    return keeping.read(KIND, path, _NEEDED)


def kept_documents(technology: str = "osu050") -> list[Document]:
    """Return the kept documents of a technology, in the order of their names."""
    return list(filter(None, map(load, keeping.files(KIND, f"{technology}/*.json"))))


def of_device(device: Device, technology: str = "osu050") -> Document | None:
    """Return the kept document of a device, if a grade of it is of this very Verilog."""
    now = verilog_hash(device)
    for document in kept_documents(technology):
        if any(one["verilog"] == now for one in document["strategies"].values()):
            return document
    return None


def verify(document: Document) -> None:
    """Check that a document is of the designs that the generator writes now, and does not contradict itself.

    Raises
    ------
    VerificationError
        ``H743``: a design is another by now; ``H744``: blocks do not add up; ``H720``: figures contradict
        each other.
    """
    from cipherassay.ciphers import load as load_cipher

    cipher = load_cipher(document["cipher"])
    for name in dict.fromkeys(grade["strategy"] for grade in document["grades"]):
        was = document["strategies"][name]["verilog"]
        try:
            now = design_hashes.design_hash(
                cipher, document["architecture"], document["key"], document["direction"], name
            )
        except AssayError as error:
            raise _stale(document, f"strategy {name}: {error.code}: {error.message}") from None
        if now != was:
            raise _stale(document, f"strategy {name}: the Verilog was {was[:12]} and is {now[:12]}")
    for number, grade in enumerate(document["grades"], 1):
        _adds_up(document, number, grade)


def _stale(document: Document, why: str) -> VerificationError:
    return VerificationError(
        STALE,
        f"the kept results of {document['design']} are of another design than the generator writes now",
        notes=[why],
        help=f"make them anew: {recompute(document)}",
    )


def _adds_up(document: Document, number: int, grade: Document) -> None:
    area = sum(one[0] for one in grade["blocks"].values())
    transistors = sum(one[1] for one in grade["blocks"].values())
    if abs(area - grade["area_um2"]) > 0.5 or transistors != grade["transistors"]:
        raise VerificationError(
            "H744",
            f"the blocks of {document['design']}, speed {number}, do not add up",
            notes=[
                f"they have {area:g} µm² and {transistors} transistors together",
                f"the whole {grade['area_um2']:g} µm² and {grade['transistors']}",
            ],
        )
    for clocks in document["strategies"][grade["strategy"]]["clocks"]:
        figures(making.counts_of(clocks), grade["period_ns"][str(clocks["key_bits"])])


def recompute(document: Document) -> str:
    """Return the command that makes a document anew."""
    words = ["assay", "synthesize", document["cipher"], "--architecture", document["architecture"]]
    words += ["--key-bits", document["key"]] if document["key"] else []
    words += ["--direction", document["direction"]]
    words += ["--technology", document["technology"]]
    words += [word for name in document["strategies"] for word in ("--strategy", name)]
    words += [word for name in document["splits"] for word in ("--split", name)]
    words += ["--points", str(len(document["recipes"])), "--designs", str(document["designs"])]
    words += ["--gates"] if any("gates" in grade for grade in document["grades"]) else []
    return shlex.join([*words, "--keep"])


def checked(technology: str = "osu050") -> tuple[list[Document], dict[str, str]]:
    """Return the kept documents that hold, and the designs whose must not be used, each with the reason."""
    good: list[Document] = []
    bad: dict[str, str] = {}
    for document in kept_documents(technology):
        try:
            verify(document)
            good.append(document)
        except VerificationError as error:
            bad[document["design"]] = f"{error.message}: {'; '.join(error.notes)}"
    return good, bad


def stale(technology: str = "osu050") -> dict[str, str]:
    """Return the designs whose kept results must not be used any more, each with the reason."""
    return checked(technology)[1]


def curves(technology: str = "osu050") -> list[Row]:
    """Return the sweeps of functions: delay, area and transistors of each by each recipe, as rows.

    `part` is the function's name, `configuration` says architecture and recipe: ``iterative, function by A``.
    """
    good = checked(technology)[0]
    return [row for one in good for row in making.function_rows(one, recompute(one))]


def rows_of(document: Document) -> Iterator[Row]:
    """Yield the rows of a kept document; whether it holds is `verify`'s part."""
    return making.device_rows(document, stored=True, command=recompute(document))


def rows(technology: str = "osu050") -> list[Row]:
    """Return the rows of all kept results that hold: those of other designs are left out (`stale`)."""
    return [row for one in checked(technology)[0] for row in rows_of(one)]
