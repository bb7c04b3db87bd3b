"""Checking a file of known answers against a back end, with counts of what passed."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from cipherassay import jobs
from cipherassay.errors import DescriptionError
from cipherassay.vectors.answers import (
    Answer,
    answers,
    follow,
    in_cipher_order,
    is_turned,
    link_answers,
    result_answer,
)
from cipherassay.vectors.backend import Backend
from cipherassay.vectors.records import KIND_TEXT, MCT_STEPS, Record, VectorFile


@dataclass(frozen=True, slots=True)
class Failure:
    """An answer that differs; all bytes in the order of the file."""

    record: Record
    answer: Answer


@dataclass(slots=True)
class Outcome:
    """What the check of one file found."""

    path: str
    backend: str
    total: Counter[str] = field(default_factory=Counter)
    """Records per kind."""
    passed: Counter[str] = field(default_factory=Counter)
    """Records per kind whose every answer is right."""
    sets: Counter[str] = field(default_factory=Counter)
    """Records that passed, per set."""
    links: int = 0
    """Monte Carlo records that were found to follow from the record before."""
    failures: list[Failure] = field(default_factory=list)
    """The first difference of each record that failed, in the order of the file."""
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether every record passed."""
        return self.passed == self.total

    def summary(self) -> str:
        """Say how many of which kind passed, in one line."""
        parts = [
            f"{self.passed[kind]:,} of {self.total[kind]:,} {text}"
            for kind, text in KIND_TEXT.items()
            if self.total[kind]
        ]
        links = [f"{self.links:,} links from one Monte Carlo record to the next"] if self.links else []
        return ", ".join([*parts, *links])


@dataclass(frozen=True, slots=True)
class _Task:
    """One record and, in a Monte Carlo set, the record that must follow from it."""

    record: Record
    successor: Record | None

    @property
    def steps(self) -> int:
        """Cipher operations that the task takes, roughly."""
        if self.record.kind != "MCT":
            return 2 + sum(times for times, _ in self.record.after)
        return MCT_STEPS * (self.successor.index - self.record.index if self.successor else 1)


def check_file(
    file: VectorFile,
    backend: Backend,
    *,
    key_bits: Sequence[int],
    byte_order: str = "as-is",
    threads: int = 1,
    chains: bool = False,
    advance: Callable[[int], None] = lambda steps: None,
) -> Outcome:
    """Check every record of a file.

    Parameters
    ----------
    key_bits : sequence of int
        The key sizes of the cipher.
    byte_order : str
        The cipher's ``nist_byte_order``: ``as-is`` or ``reversed``.
    threads : int, > 0
        Records worked on at a time; more than one helps where the back end computes outside Python.
    chains : bool
        Compute also the Monte Carlo records that lie between two records of the file, so that the whole
        chain is checked. Records with consecutive numbers are always checked to follow from one another.
    advance : function
        Called with the number of cipher operations whenever some were done.

    Raises
    ------
    DescriptionError
        ``K011``: a record has a key size that the cipher does not. ``K033``: it has a key, and a
        permutation has none, or the other way round.
    """
    _check_key_sizes(file, key_bits)
    begin = time.perf_counter()
    outcome = Outcome(file.path, backend.name, total=Counter(file.counts))

    advancing = threading.Lock()

    def checked(task: _Task) -> Failure | None:
        failure = _check(task, backend, byte_order)
        with advancing:
            advance(task.steps)
        return failure

    failed: dict[int, Failure] = {}
    tasks = list(_tasks(file.records, chains=chains))
    for task, failure in zip(tasks, jobs.each(checked, tasks, workers=threads), strict=True):
        outcome.links += task.successor is not None and failure is None
        if failure is not None:
            failed.setdefault(id(failure.record), failure)
    for record in file.records:
        if id(record) in failed:
            outcome.failures.append(failed[id(record)])
        else:
            outcome.passed[record.kind] += 1
            outcome.sets[record.set] += 1
    outcome.seconds = time.perf_counter() - begin
    return outcome


def steps(file: VectorFile, *, chains: bool = False) -> int:
    """Return roughly how many cipher operations the check of a file takes."""
    return sum(task.steps for task in _tasks(file.records, chains=chains))


def _check_key_sizes(file: VectorFile, key_bits: Sequence[int]) -> None:
    for record in file.records:
        if record.key_bits in key_bits:
            continue
        if not record.key_bits or not any(key_bits):
            has, takes = (("no", "a"), ("a", "no"))[bool(record.key_bits)]
            raise DescriptionError(
                "K033",
                f"the record has {has} key, and what is described takes {takes} key",
                places=[record.place],
                help="`T=KAT SET=… I=… IN=… OUT=…` is a record of a permutation, "
                "`T=KAT SET=… KS=… I=… KEY=… PT=… CT=…` one of a cipher",
            )
        else:
            raise DescriptionError(
                "K011",
                f"the cipher has no key of {record.key_bits} bits",
                places=[record.place],
                notes=[f"expected one of {', '.join(map(str, key_bits))}"],
            )


def _tasks(records: Sequence[Record], *, chains: bool) -> Iterator[_Task]:
    """Yield the records in their order, each Monte Carlo record with the one that comes next in its set."""
    groups: dict[tuple[str, int, str], list[Record]] = {}
    for record in records:
        if record.kind == "MCT":
            groups.setdefault((record.set, record.key_bits, record.convention), []).append(record)
    following: dict[int, Record] = {}
    for group in groups.values():
        group.sort(key=lambda record: record.index)
        for record, after in zip(group, group[1:], strict=False):
            distance = after.index - record.index
            if distance == 1 or (chains and distance > 1):
                following[id(record)] = after
    for record in records:
        yield _Task(record, following.get(id(record)))


def _check(task: _Task, backend: Backend, byte_order: str) -> Failure | None:
    """Return the first wrong answer of the record, or else of the step to its successor."""
    record = in_cipher_order(task.record, byte_order)
    if task.successor is None:
        found: Iterator[tuple[Record, Answer]] = (
            (task.record, answer) for answer in answers(record, backend)
        )
    else:
        found = _follow(task, record, backend, byte_order)
    for owner, answer in found:
        if not answer.right:
            return Failure(owner, answer.reversed(owner.block) if is_turned(owner, byte_order) else answer)
    return None


def _follow(
    task: _Task, record: Record, backend: Backend, byte_order: str
) -> Iterator[tuple[Record, Answer]]:
    assert task.successor is not None
    last, start = follow(backend, record, task.successor.index - task.record.index)
    yield task.record, result_answer(record, last)
    for answer in link_answers(in_cipher_order(task.successor, byte_order), start):
        yield task.successor, answer
