"""The study of addressing modes as rows, kept in the store like everything that the report shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from cipherassay.jobs import Job, Place, Producer, Rows
from cipherassay.results import Row

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher
    from cipherassay.studies.fiskiran2001.addressing import Assumptions

LOOK_UP = "table look-up"


PRODUCER = Producer(
    "addressing", 1, ("cipherassay.studies.fiskiran2001.fit",), ("processor",),
    records=("cipherassay.processors", "cipherassay.published", "cipherassay.strategies"),
)  # fmt: skip


def addressing_job(ciphers: Sequence[Cipher]) -> Job[Rows]:
    """Return the job that makes cycles, speedups, shares of look-ups and the weight of the assumptions."""
    return Job(
        "addressing", "addressing modes", partial(_study, ciphers), inputs=partial(_inputs, ciphers),
        place=Place.PROCESS,
    )  # fmt: skip


def _inputs(ciphers: Sequence[Cipher]) -> dict[str, object]:
    from cipherassay.studies.fiskiran2001 import addressing, kept

    assumptions = addressing.Assumptions()
    return PRODUCER.inputs(
        assumptions={name: value for name, value, _ in assumptions.lines()}, **kept.data(ciphers)
    )


def _study(ciphers: Sequence[Cipher]) -> Rows:
    from cipherassay.studies.fiskiran2001 import addressing, fit

    assumptions = addressing.Assumptions()
    studies = [addressing.study(cipher, assumptions) for cipher in ciphers]
    rows = [row for study in studies for row in fit.rows_of(study)]
    rows += _look_ups()
    rows += _single_cycle(ciphers, assumptions)
    for change in fit.sensitivity(assumptions, quiet=True):
        by = {**change.fit.by_cipher, "": change.fit.together}
        rows += [
            Row(
                cipher=cipher or None, part=f"{change.name} {change.value}".strip(), level="processor",
                target=addressing.PROCESSOR, metric="rms_error", value=value, basis="simulated",
                command="assay study addressing --sensitivity",
            )
            for cipher, value in by.items()
        ]  # fmt: skip
    return Rows(rows)


def _look_ups() -> list[Row]:
    """Return how many instructions a look-up takes in each mode, of the code selected for one."""
    from cipherassay.studies.fiskiran2001 import addressing

    forms = [(mode, "all alike", name) for mode, name in addressing.MODES.items()]
    forms.append(("indexed", "cheapest", "indexed, one mask"))
    return [
        Row(
            part=LOOK_UP, level="processor", target=addressing.PROCESSOR, configuration=name,
            metric="instructions", value=sum(addressing.instructions(mode, index).values()),
            basis="simulated", tools=", ".join(addressing.instructions(mode, index)),
            command="assay study addressing",
        )
        for mode, index, name in forms
    ]  # fmt: skip


def _single_cycle(ciphers: Iterable[Cipher], assumptions: Assumptions) -> list[Row]:
    """Return the rows of load.ex.sc at one cycle and at two, on the processors of the paper's tables."""
    from cipherassay.studies.fiskiran2001 import addressing, fit

    rows: list[Row] = []
    modes = (addressing.FIRST, "load-extract-scale")
    for cipher in ciphers:
        for latency in (1, 2):
            changed = assumptions.changed("load_extract_scale_latency", latency)
            machines = fit.printed_machines()
            study = addressing.study(cipher, changed, machines, modes=modes)
            found = [r for r in fit.rows_of(study) if r.configuration == "load.ex.sc"]
            rows += [_at_latency(row, latency) for row in found if row.metric == "speedup"]
    return rows


def _at_latency(row: Row, latency: int) -> Row:
    command = f"{row.command} --assume load_extract_scale_latency={latency}"
    return Row.from_dict({**row.as_dict(), "part": f"load.ex.sc in {latency}", "command": command})
