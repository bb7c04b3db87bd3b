"""The comparison with libraries as jobs: one for each cipher and key size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from cipherassay.inputs import emitted_c_digest
from cipherassay.jobs import Job, Place, Producer, Rows
from cipherassay.native.comparison import Comparison, OwnCode, Peers, compare
from cipherassay.native.harness import source_digest
from cipherassay.native.measuring import steady_session

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cipherassay.native.measurement import Settings
    from cipherassay.native.selection import Selection
    from cipherassay.native.session import Tolerance
    from cipherassay.results import Row

INPUTS, REPEATS = 100, 30
PRODUCER = Producer(
    "comparison", 1, ("cipherassay.native.comparison", "cipherassay.native.checking"),
    records=("cipherassay.published",),
)  # fmt: skip


@dataclass(frozen=True)
class ComparedCode:
    """Our code of one selection beside the libraries that are here."""

    selection: Selection
    peers: Peers
    settings: Settings
    tolerance: Tolerance

    def jobs(self) -> list[Job[Rows]]:
        """Return a job for each key size."""
        one = self.selection
        return [
            Job(
                f"native/compare/{one.cipher.slug}-{bits}-{one.strategy}",
                f"{one.cipher.name} {bits} beside libraries",
                partial(self._rows, bits), inputs=partial(self._inputs, bits), place=Place.ALONE,
                tries=self.tolerance.tries,
                reusable=lambda result: all(row.stable for row in result.rows if row.strategy),
            )
            for bits in one.key_bits
        ]  # fmt: skip

    @cached_property
    def ours(self) -> OwnCode:
        """Our code, compiled by each kind of compiler that is here."""
        from cipherassay.native.generated import build, generate
        from cipherassay.tools.compiler import find_compilers

        one = self.selection
        code = generate(one.cipher, strategy=one.strategy)
        compiled = {compiler: build(code, compiler=compiler) for compiler in find_compilers("c")}
        return OwnCode(one.cipher, one.strategy, compiled)

    def _inputs(self, bits: int) -> dict[str, Any]:
        from cipherassay.native.environment import counter_kind, machine_name
        from cipherassay.tools.compiler import find_compilers

        one, settings = self.selection, self.settings
        slug = one.cipher.slug
        peers = [each for each in self.peers.loaded.values() if slug in each.library.ciphers]
        return PRODUCER.inputs(
            source=emitted_c_digest(one.cipher, one.cipher.key_bits, one.strategy, ""), key_bits=bits,
            compilers=[[one.version, *one.scalar_flags] for one in find_compilers("c")],
            harness=source_digest(),
            machine=machine_name(), counter=counter_kind(), inputs=settings.inputs, repeats=settings.repeats,
            libraries=[each.describe(slug) for each in peers],
            adapters=[each.file.parent.name for each in peers],
            records=[[each.library.path, repr(each.library.ciphers[slug])] for each in peers],
        )  # fmt: skip

    def _rows(self, bits: int) -> Rows:
        with steady_session(self.tolerance) as steady:
            found = list(compare(self.ours, bits, self.peers, steady, self.settings))
        return Rows([row for one in found for row in (*one.compiled, *one.others)])


def jobs(
    selections: Sequence[Selection],
    peers: Peers,
    settings: Settings,
    tolerance: Tolerance,
) -> list[Job[Rows]]:
    """Return the jobs that measure our code and libraries by turns."""
    codes = [ComparedCode(one, peers, settings, tolerance) for one in selections]
    return [job for code in codes for job in code.jobs()]


def grouped(rows: Iterable[Row]) -> list[Comparison]:
    """Return rows as comparisons, one an operation, in their order; ours are those with a strategy."""
    operations = groupby(rows, lambda row: (row.cipher, row.operation, row.key_bits))
    groups = (list(group) for _, group in operations)
    return [
        Comparison(
            tuple(row for row in group if row.strategy), tuple(row for row in group if not row.strategy)
        )
        for group in groups
    ]
