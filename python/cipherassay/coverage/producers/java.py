"""Generated Java, compiled and run on its known answers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from cipherassay.coverage.level import Level
from cipherassay.jobs import Job, Producer, Rows

if TYPE_CHECKING:
    from cipherassay.jobs import Executor
    from cipherassay.lang.cipher import Cipher
    from cipherassay.results import Row

ORDER = 2
PASSED = "known_answers_passed"
PRODUCER = Producer("Java, checked", 1, ("cipherassay.java.building", "cipherassay.java.emitting"))


def levels() -> Sequence[Level]:
    """Return the level of Java."""
    return [Level("java", "code here", "Java, known answers passed", _jobs, _number)]


def _number(cipher: Cipher, rows: Sequence[Row]) -> Row | None:
    return next((row for row in rows if row.metric == PASSED), None)


def _jobs(cipher: Cipher, quick: bool, place: Executor) -> Sequence[Job[Rows]]:
    name, title = f"java/checked/{cipher.slug}", f"{cipher.name} in Java"
    return [Job(name, title, partial(_rows, cipher), inputs=partial(_inputs, cipher), memory_mb=400)]


def _inputs(cipher: Cipher) -> dict[str, Any]:
    from cipherassay.inputs import known_answers_digest
    from cipherassay.java.building import virtual_machine

    return PRODUCER.inputs(
        source=_source(cipher), machine=virtual_machine(),
        known_answers=known_answers_digest(cipher, ""),
    )  # fmt: skip


def _source(cipher: Cipher) -> str:
    """Return the digest of the class, remembered by what it is made of."""
    from cipherassay.java.emitting import generate
    from cipherassay.jobs.descriptions import remembered
    from cipherassay.jobs.digests import text_digest
    from cipherassay.strategies import preferred, strategy_digest
    from cipherassay.strategies.preferences import JAVA

    sizes = cipher.key_bits[:1]
    made_of = ("java", sizes, strategy_digest(preferred(cipher, JAVA)))
    return remembered(cipher, made_of, lambda: text_digest(generate(cipher, sizes).text), ("source",))


def _rows(cipher: Cipher) -> Rows:
    from pathlib import Path

    from cipherassay.ciphers import argument
    from cipherassay.java.building import check, compiled, virtual_machine
    from cipherassay.java.emitting import generate
    from cipherassay.java.measuring import in_folder
    from cipherassay.results import Row

    made = generate(cipher, cipher.key_bits[:1])
    with in_folder() as folder:
        passed = check(cipher, made, compiled(cipher, made, Path(folder)))
    return Rows([Row(
        cipher=cipher.name, strategy=made.strategy, level="native", target="Java", metric=PASSED,
        value=passed, basis="measured", tools=virtual_machine(),
        command=f"assay coverage {argument(cipher)} --level java",
    )])  # fmt: skip
