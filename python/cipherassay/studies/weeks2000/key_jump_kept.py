"""The last key words synthesized in both forms: made, kept in the package, read again as rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay import keeping
from cipherassay.hardware.tools import cached
from cipherassay.jobs import Job, Rows
from cipherassay.published import platform
from cipherassay.results import Row
from cipherassay.studies.weeks2000 import key_jump

if TYPE_CHECKING:
    from cipherassay.hardware.libraries.technology import Technology
    from cipherassay.jobs import Executor
    from cipherassay.lang.cipher import Cipher

KIND = "key_jumps"
"""The kind of kept artefacts; a file per cipher."""
APPROACHES = ("unrolled", "single step")
PART = "last eight key words"
Document = dict[str, Any]


def command(cipher: str) -> str:
    """Return the command that makes a cipher's results anew."""
    return f"assay study key-jump {cipher} --keep"


def texts(cipher: Cipher, sums: key_jump.Sums, rows: key_jump.Sums) -> dict[str, str]:
    """Return the Verilog of both forms, after a check that the sums multiply out to the matrix.

    Raises
    ------
    VerificationError
        ``H746``: they do not.
    DescriptionError
        ``H745``: the key schedule has no affine recurrence.
    """
    of = key_jump.recurrence(cipher)
    table, constant = key_jump.matrix(of)
    key_jump.check(table, sums, rows)
    names = {approach: top(cipher, approach) for approach in APPROACHES}
    single = key_jump.single_step_verilog(sums, rows, constant.tolist(), table.shape[1], names["single step"])
    return {"unrolled": key_jump.unrolled_verilog(of, names["unrolled"]), "single step": single}


def top(cipher: Cipher, approach: str) -> str:
    """Return the name of a form's module."""
    return f"{cipher.slug}_last_key_words_{approach.replace(' ', '_')}"


def made(
    cipher: Cipher,
    technology: Technology,
    executor: Executor,
    names: Sequence[str],
    approaches: Sequence[str],
) -> Document:
    """Synthesize forms of a cipher's last key words by recipes; return what is worth keeping."""
    from cipherassay.hardware.synthesis import flow

    known = keeping.find(KIND, f"{cipher.slug}.json")
    old = load(known) if known else None
    shared = old or key_jump.document(key_jump.recurrence(cipher))
    sources = texts(cipher, shared["sums"], shared["rows"])
    found: Document = {"schema": keeping.SCHEMAS[KIND], "cipher": cipher.slug, "title": cipher.name}
    found |= {"sums": shared["sums"], "rows": shared["rows"], "results": dict(old["results"]) if old else {}}
    of_technology = dict(found["results"].get(technology.name, {}))
    for approach in approaches:
        module = top(cipher, approach)
        one = flow.synthesize(
            {f"{module}.v": sources[approach]}, technology, executor, top=module, names=names, splits=["flat"]
        )
        of_technology[approach] = {
            "verilog": cached.digest(sources[approach]), "tools": one.tools,
            "grades": [[p.delay_ns, p.area_um2, p.size.transistors] for p in one.grades],
        }  # fmt: skip
    found["results"][technology.name] = of_technology
    return found


def keep(document: Document) -> Path:
    """Keep a cipher's results; return the file."""
    return keeping.write(KIND, f"{document['cipher']}.json", text_of(document))


def text_of(document: Document) -> str:
    """Return the text of a document, a line for each field."""
    lines = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in document.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def load(path: Path) -> Document | None:
    """Return a kept document; None if it follows another version of the schema.

    Raises
    ------
    DescriptionError
        ``A001``: the file is damaged.
    """
    return keeping.read(KIND, path, ("cipher", "title", "sums", "rows", "results"))


def technologies() -> list[str]:
    """Return the technologies that results are kept for, sorted."""
    kept = filter(None, map(load, keeping.files(KIND, "*.json")))
    return sorted({technology for document in kept for technology in document["results"]})


def job(ciphers: Sequence[Cipher]) -> Job[Rows]:
    """Return the job that reads the kept results of ciphers."""

    def work() -> Rows:
        return Rows([row for row in rows() if row.cipher in {cipher.name for cipher in ciphers}])

    return Job("hardware/key-jumps", "kept key schedules", work)


def rows(technology: str = "osu050") -> Iterator[Row]:
    """Yield the rows of all kept results in a technology; those of another Verilog are left out.

    Raises
    ------
    VerificationError
        ``H746``: kept sums do not multiply out to their matrix.
    """
    for document in filter(None, map(load, keeping.files(KIND, "*.json"))):
        yield from rows_of(document, technology)


def rows_of(document: Document, technology: str) -> Iterator[Row]:
    """Yield the rows of a document in a technology, as `rows` does."""
    from cipherassay import ciphers

    sources = texts(ciphers.load(document["cipher"]), document["sums"], document["rows"])
    for approach, found in document["results"].get(technology, {}).items():
        if cached.digest(sources[approach]) == found["verilog"]:
            yield from _rows(document, technology, approach, found)


def _rows(document: Document, technology: str, approach: str, found: Document) -> Iterator[Row]:
    for number, (delay, area, transistors) in enumerate(found["grades"], 1):
        common: dict[str, Any] = {
            "cipher": document["title"], "part": PART, "operation": "key_setup_decrypt", "level": "hardware",
            "target": technology, "platform": platform(technology), "speed_grade": number,
            "configuration": f"{approach}, speed {number}", "basis": "synthesized",
            "tools": f"{found['tools']}; stored", "command": command(document["cipher"]),
        }  # fmt: skip
        yield Row(**common, metric="time_ns", value=delay)
        yield Row(**common, metric="area_um2", value=area)
        yield Row(**common, metric="transistors", value=transistors)
