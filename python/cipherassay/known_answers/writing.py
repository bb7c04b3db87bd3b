"""The file of a set of known answers: what is asked for, checked, computed, put into NIST's layout."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

from cipherassay.ciphers import Cipher, load
from cipherassay.errors import UsageError, VerificationError, nearest
from cipherassay.known_answers.choosing import make_backend
from cipherassay.vectors import intermediate, nist_writing
from cipherassay.vectors.answers import answers, in_cipher_order, start_of
from cipherassay.vectors.backend import BLOCK, MODES, Backend, Mode, direction_of
from cipherassay.vectors.generating import expected_records, generate, sets_of
from cipherassay.vectors.monte_carlo import RECORDS
from cipherassay.vectors.records import MCT_STEPS, Record

INTERMEDIATE = "ecb_iv"
FIRST_STEPS = 100
"""Steps of a Monte Carlo record that the plain run repeats."""


@dataclass
class GenerationRequest:
    """What a generation was asked for, checked."""

    cipher: Cipher
    variant: str
    sets: tuple[str, ...]
    key_bits: tuple[int, ...]
    records: str
    numbers: tuple[int, ...]
    """The Monte Carlo records that are written."""
    backend: str
    strategy: str
    _backends: dict[str, Backend] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        cipher: str,
        variant: str = "",
        sets: Sequence[str] = (),
        key_bits: Sequence[int] = (),
        records: str = f"0-{RECORDS - 1}",
        backend: str = "",
        strategy: str = "",
    ) -> GenerationRequest:
        """Check what was asked for.

        Raises
        ------
        UsageError
            ``U010`` to ``U014``: no such cipher, key size or variant. ``K014``: the cipher has no such set.
            ``K015``: `records` is no list of numbers. ``K013``: no such back end. ``K016``: blocks of a size
            that NIST's rules are not for.
        """
        from cipherassay.known_answers.choosing import BACKENDS

        found = load(cipher)
        for bits in key_bits or found.key_bits:
            found.check_choice(bits, variant)
        if not found.keyed:
            raise UsageError(
                "K034",
                f"NIST's rules of 1998 and its listings are for keys, and {found.name} takes none",
                help="known answers of a permutation are written by hand: `T=KAT SET=… I=… IN=… OUT=…`",
            )
        if found.tweak_bytes:
            raise UsageError(
                "K034",
                f"NIST's rules of 1998 and its listings know no tweak, and {found.name} takes one",
                help="its known answers are written by hand: `T=KAT SET=… KS=… I=… KEY=… TWEAK=… PT=… CT=…`",
            )
        known = (*sets_of(found), INTERMEDIATE)
        if found.block_bits != 8 * BLOCK and [*sets] != [INTERMEDIATE]:
            size = f"blocks of {8 * BLOCK} bits, and {found.name} has {found.block_bits}"
            help = f"`--set {INTERMEDIATE}`, the intermediate values, is for blocks of any size"
            raise UsageError("K016", f"NIST's rules of 1998 are for {size}", help=help)
        for name in sets:
            if name not in known:
                raise UsageError(
                    "K014", f"{found.name} has no set `{name}` to generate", help=nearest(name, known)
                )
        if backend and backend not in BACKENDS:
            raise UsageError("K013", f"there is no back end `{backend}`", help=nearest(backend, BACKENDS))
        chosen = tuple(name for name in known if not sets or name in sets)
        sizes = tuple(bits for bits in found.key_bits if not key_bits or bits in key_bits)
        return cls(found, variant, chosen, sizes, records, record_numbers(records), backend, strategy)

    @cached_property
    def steps(self) -> int:
        """Cipher operations that the generation takes, roughly."""
        count = max(self.numbers) + 1
        return sum(
            expected_records(name, self.cipher, bits, count) * _weight(name)
            for name in self.sets
            for bits in self.key_bits
        )

    def backend_for(self, name: str) -> Backend:
        """Return what computes a set: unless asked, C for Monte Carlo tests, the evaluator for others."""
        from cipherassay.known_answers.choosing import BACKENDS

        default = "c" if name in MODES else "evaluator"
        chosen = next(b for b in BACKENDS if b == (self.backend or default))
        if chosen not in self._backends:
            self._backends[chosen] = make_backend(chosen, self.cipher, self.variant, self.strategy)
        return self._backends[chosen]


def _weight(name: str) -> int:
    """Return what a record costs, in block operations of compiled code; a block has its key schedule."""
    return MCT_STEPS if name in MODES else MCT_STEPS // 4


def record_numbers(text: str) -> tuple[int, ...]:
    """Return the numbers in a list like ``0-19,399``, in ascending order.

    Raises
    ------
    UsageError
        ``K015``: it is no such list, or a number is not below 400.
    """
    found: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,3})\s*(?:-\s*(\d{1,3})\s*)?", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if not first <= last < RECORDS:
            raise UsageError(
                "K015",
                f"`{text}` is no list of Monte Carlo records",
                help=f"write numbers from 0 to {RECORDS - 1}, for example `0-19,{RECORDS - 1}`",
            )
        found.update(range(first, last + 1))
    return tuple(sorted(found))


def file_text(
    wanted: GenerationRequest, name: str, *, advance: Callable[[int], None] = lambda steps: None
) -> tuple[str, int]:
    """Generate one set; returns the text of its file and the number of records.

    Raises
    ------
    VerificationError
        ``K021``: a second back end gives another answer for one of the records that it checks.
    ToolError
        The C compiler is missing or fails.
    """
    remarks = [f"Records: {wanted.records}"] if name in MODES and len(wanted.numbers) < RECORDS else []
    parts = [nist_writing.header(name, wanted.cipher, wanted.variant, remarks)]
    count = 0
    for bits in wanted.key_bits:
        if name == INTERMEDIATE:
            lines = _intermediate(wanted, bits)
            parts.append("\n".join(lines) + "\n")
            count += 1
            continue
        records = _records(wanted, name, bits, advance)
        _second_opinion(wanted, records)
        parts.append(nist_writing.section(bits, records))
        count += len(records)
    return "".join(parts), count


def _records(wanted: GenerationRequest, name: str, bits: int, advance: Callable[[int], None]) -> list[Record]:
    made = generate(
        name,
        wanted.cipher,
        wanted.variant,
        bits,
        wanted.backend_for(name),
        count=max(wanted.numbers) + 1,
        advance=lambda records: advance(_weight(name) * records),
    )
    return [record for record in made if name not in MODES or record.index in wanted.numbers]


def _second_opinion(wanted: GenerationRequest, records: list[Record]) -> None:
    """Let another back end compute some of the records: every 32nd block, the first Monte Carlo record.

    The plain run is the second opinion on the evaluator (of a Monte Carlo record on its first steps, since it
    is slow), the evaluator on all else.
    """
    used = wanted.backend_for(records[0].set)
    other = make_backend(
        "python" if used.name.startswith("evaluator") else "evaluator", wanted.cipher, wanted.variant
    )
    order = wanted.cipher.nist_byte_order
    if records[0].kind == "MCT":
        steps = FIRST_STEPS if other.name.startswith("python") else MCT_STEPS
        _same_chain(wanted, in_cipher_order(records[0], order), used, other, steps)
        return
    for record in records[::32]:
        for answer in answers(in_cipher_order(record, order), other):
            if not answer.right:
                raise _disagreement(wanted, record, answer.what, used, other, answer.expected, answer.got)


def _same_chain(wanted: GenerationRequest, record: Record, used: Backend, other: Backend, steps: int) -> None:
    start, mode = start_of(record), cast(Mode, record.set)
    first, second = (
        b.chain(b.keys(start.key, direction_of(mode)), mode, start.iv, start.text, steps)[0]
        for b in (used, other)
    )
    if first != second:
        raise _disagreement(wanted, record, f"{steps:,} steps of {mode}", used, other, first, second)


def _disagreement(
    wanted: GenerationRequest,
    record: Record,
    what: str,
    used: Backend,
    other: Backend,
    first: bytes,
    second: bytes,
) -> VerificationError:
    return VerificationError(
        "K021",
        f"{wanted.cipher.name}: `{used.name}` and `{other.name}` give different answers: {record}",
        notes=[f"{what}, by {used.name}: {first.hex().upper()}", f"by {other.name}: {second.hex().upper()}"],
    )


def _intermediate(wanted: GenerationRequest, bits: int) -> list[str]:
    key, text = intermediate.test_key(bits), intermediate.test_text(wanted.cipher.block_bits // 8)
    return list(intermediate.listing(wanted.cipher, wanted.variant, bits, key, text))
