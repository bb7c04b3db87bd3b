"""Ciphers on small processors as rows for the report: measured where the store does not have them."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay import engine_file, published
from cipherassay.embedded import processors
from cipherassay.errors import AssayError, DescriptionError, ToolError, VerificationError
from cipherassay.parallel import in_processes
from cipherassay.results import Row, Store
from cipherassay.tools import require

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher

REFUSED = "refused"
"""The metric of code that could not be made or does not fit: its certificate says why."""
_PACKAGE = Path(__file__).parents[1]
_SOURCES = (
    "embedded/**/*.py", "embedded/**/*.toml", "embedded/*.c", "lang/*.py", "circuits/library/*/*",
    "vectors/data/*/ecb_v*",
)  # fmt: skip


@dataclass(frozen=True)
class Wanted:
    """Code that the report shows: a cipher for one key size on one processor, with loops or straight."""

    cipher: Cipher
    key_bits: int
    processor: str
    unrolled: bool = False

    @property
    def title(self) -> str:
        """What it is, for progress."""
        return f"{self.cipher.name} {self.key_bits} on {self.processor}"

    @property
    def name(self) -> str:
        """The name of its run in the store."""
        form = "straight" if self.unrolled else "loops"
        return f"embedded/{self.processor}/{self.cipher.slug}-{self.key_bits}-{form}"

    def inputs(self) -> dict[str, Any]:
        """Return what its rows depend on; ToolError ``T002``: a tool is missing."""
        processor = processors.load(self.processor)
        for tool in processor.needs:
            require(tool)
        digest = hashlib.sha256(Path(self.cipher.file).read_bytes()).hexdigest()
        return {"cipher": digest, "sources": _sources(), "tools": processor.tools()}

    def rows(self) -> list[Row]:
        """Make and measure it; what cannot be made or does not fit gives one row, of metric ``refused``."""
        from cipherassay.embedded import target

        try:
            made = target.make(self.cipher, self.key_bits, unrolled=self.unrolled, processor=self.processor)
            return target.measure(made)
        except (DescriptionError, VerificationError) as error:
            return [self._refused(error)]

    def _refused(self, error: AssayError) -> Row:
        return Row(
            cipher=self.cipher.name, key_bits=self.key_bits, level="embedded", target=self.processor,
            configuration="rounds unrolled" if self.unrolled else "rounds in loops",
            metric=REFUSED, value=1, basis="simulated",
            certificate="; ".join([f"{error.code}: {error.message}", *error.notes]),
        )  # fmt: skip


def wanted(ciphers: Sequence[Cipher]) -> list[Wanted]:
    """Return what a report shows: ciphers by their shortest keys, E2 as its paper by all.

    Straight code that papers print cycles of comes first, then code with loops, then the other straight code:
    what comes late may be left for the next report.
    """
    sizes = [(c, bits) for c in ciphers for bits in (c.key_bits if c.slug == "e2" else c.key_bits[:1])]
    plain = published.same_processor
    printed = {(row.cipher, plain(row.target or "")) for row in published.rows() if row.metric == "cycles"}
    every = [
        Wanted(cipher, bits, processor, unrolled)
        for unrolled in (False, True)
        for processor in processors.names()
        for cipher, bits in sizes
    ]
    return sorted(
        every, key=lambda one: not (one.unrolled and (one.cipher.name, plain(one.processor)) in printed)
    )


def embedded_rows(
    asked: Sequence[Wanted],
    store: Store,
    *,
    seconds: float = math.inf,
    advance: Callable[[float, str], None] = lambda amount, note: None,
) -> tuple[list[Row], list[str]]:
    """Return the rows of what is asked for, and what was left out with the reason.

    What the store lacks is made on all cores. After so many seconds no further code is begun: it is left for
    the next time.
    """
    end = time.monotonic() + seconds
    found: dict[str, list[Row]] = {}
    left: dict[str, str] = {}
    missing: list[Wanted] = []
    for one in asked:
        try:
            rows = store.find(one.name, one.inputs())
        except ToolError as error:
            left.setdefault(f"{one.processor}: {error.message}", error.help or "")
            rows = []
        if rows is None:
            missing.append(one)
        else:
            found[one.name] = rows
            advance(1, "")
    for one, rows in in_processes(Wanted.rows, takewhile(lambda _: time.monotonic() < end, missing)):
        store.put(one.name, one.inputs(), rows)
        found[one.name] = rows
        advance(1, one.title)
    for one in missing:
        if one.name not in found:
            left.setdefault(f"{one.processor}: not all code was measured in time", "run the report again")
    rows = [row for one in asked for row in found.get(one.name, ())]
    return rows, [f"{what}{f' ({help_})' if help_ else ''}" for what, help_ in left.items()]


@lru_cache(maxsize=1)
def _sources() -> str:
    """Return the hash of the engine and of the files that all code depends on."""
    digest = hashlib.sha256(engine_file.digest().encode())
    for path in (path for pattern in _SOURCES for path in sorted(_PACKAGE.glob(pattern))):
        if path.is_file():
            digest.update(f"{path.relative_to(_PACKAGE)}\n".encode() + path.read_bytes())
    return digest.hexdigest()
