"""Ciphers on small processors as rows for the report: one job a cipher, key size, processor and form."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from cipherassay import published
from cipherassay.ciphers import argument
from cipherassay.embedded import processors
from cipherassay.errors import AssayError, DescriptionError, VerificationError
from cipherassay.inputs import description_digest, known_answers_digest, published_digest
from cipherassay.jobs import Job, Place, Producer, Rows
from cipherassay.jobs.key_sizes import shown
from cipherassay.jobs.producer import FRONT
from cipherassay.results import Row
from cipherassay.results.refusal import refusal
from cipherassay.strategies import circuits_digest
from cipherassay.tools import require

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher


def jobs(ciphers: Sequence[Cipher]) -> list[Job[Rows]]:
    """Return what a report shows: ciphers by their shortest keys, and by those that studies ask for.

    Straight-line code that papers print cycles of comes first, then code with loops, then the other
    straight-line code: what comes late may be left for the next report.
    """
    sizes = [(c, bits) for c in ciphers for bits in shown(c)]
    plain = published.same_processor
    printed = {(row.cipher, plain(row.target or "")) for row in published.rows() if row.metric == "cycles"}
    every = [
        (cipher, bits, processor, unrolled)
        for unrolled in (False, True)
        for processor in processors.names()
        for cipher, bits in sizes
    ]
    every.sort(key=lambda one: not (one[3] and (one[0].name, plain(one[2])) in printed))
    return [job(*one) for one in every]


def job(
    cipher: Cipher, key_bits: int, processor: str, unrolled: bool, variant: str = "", tables: str = "",
    *, refuses: bool = False,
) -> Job[Rows]:  # fmt: skip
    """Return the job that makes and measures a cipher's code; it fails with ``T002`` where a tool is missing.

    What cannot be made or does not fit gives one row, of metric ``refused``, or an error if it ``refuses``.
    ``tables`` is as `cipherassay.embedded.target.make` has it.
    """
    chosen = processors.load(processor)
    # What makes code for other processors does not count.
    others = [processors.module(name) for name in processors.names() if name != processor]
    producer = Producer(
        "embedded", 1, ("cipherassay.embedded.target", processors.module(processor)),
        ("microcontroller", "program"), without=(*FRONT, *others),
    )  # fmt: skip

    def inputs() -> dict[str, object]:
        for tool in chosen.needs:
            require(tool)
        return producer.inputs(
            cipher=description_digest(cipher), circuits=circuits_digest(), tools=chosen.tools(),
            known_answers=known_answers_digest(cipher, variant), published=published_digest(cipher),
        )  # fmt: skip

    form = "-".join(word for word in ("straight" if unrolled else "loops", variant, tables) if word)
    return Job(
        f"embedded/{processor}/{cipher.slug}-{key_bits}-{form}",
        " ".join([cipher.name, *([str(key_bits)] if key_bits else []), f"on {processor}"]),
        partial(_rows, cipher, key_bits, processor, unrolled, variant, tables, refuses), inputs=inputs,
        place=Place.PROCESS, optional=True,
    )  # fmt: skip


def _rows(
    cipher: Cipher, key_bits: int, processor: str, unrolled: bool, variant: str, tables: str, refuses: bool
) -> Rows:
    from cipherassay.embedded import target

    try:
        made = target.make(cipher, key_bits, variant, unrolled=unrolled, processor=processor, tables=tables)
        return Rows(target.measure(made))
    except (DescriptionError, VerificationError) as error:
        if refuses:
            raise
        return Rows([_refused(cipher, key_bits, processor, unrolled, error)])


def _refused(cipher: Cipher, key_bits: int, processor: str, unrolled: bool, error: AssayError) -> Row:
    return refusal(
        error, cipher=cipher.name, key_bits=key_bits or None, level="embedded", target=processor,
        configuration="rounds unrolled" if unrolled else "rounds in loops",
        basis="simulated",
        command=f"assay measure {argument(cipher)}{cipher.key_option(key_bits)} --processor {processor}"
        + (" --unrolled" if unrolled else ""),
    )  # fmt: skip
