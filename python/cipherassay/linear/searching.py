"""The search: few operations and few cycles of words, each program checked before it counts."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cipherassay.errors import UsageError
from cipherassay.linear import sums
from cipherassay.linear.checking import check
from cipherassay.linear.constructing import construct
from cipherassay.linear.machines import MASKS, Machine
from cipherassay.linear.matrices import MOST, MOST_OF_FIELD, Matrix
from cipherassay.linear.program import Program, Step
from cipherassay.linear.scheduling import scheduled
from cipherassay.linear.sums import Effort, Sums

_engine: Any = importlib.import_module("cipherassay._engine")

WORD_SIZES = (8, 16, 32, 64)
MOST_NODES = 30_000_000
"""Sets of values: the search begins no count for which more are to be expected."""
MOST_OPERATIONS = 40
NO_LIMIT = 1 << 30
SLOWER = 4
"""A set of values takes about that much more time where cycles are counted."""
FEW = 100_000
"""Sets up to which the operations of a program of fewest cycles are made fewer."""
_ENDS = {
    "nodes": "the next count is too large", "orders": "too many orders of bytes", "stopped": "stopped",
    "most": "all fewer exhausted", "found": "all fewer exhausted",
    "impossible": "no order of bytes makes the matrix alike in all bytes of a word",
}  # fmt: skip


@dataclass(frozen=True)
class BestProgram:
    """The best program of an aim (``operations``, ``cycles``), the bound, and the spaces exhausted for it."""

    aim: str
    program: Program | None
    value: int | None
    bound: int
    efforts: tuple[Effort, ...]

    @property
    def is_proved(self) -> bool:
        """Whether no program of the whole space is better."""
        return self.value == self.bound

    @property
    def certificate(self) -> str:
        """What is known of the value, in a few words."""
        if self.value is None:
            return "impossible" if self.efforts[-1].count is None else "no program found"
        return "proved least" if self.is_proved else "best found"


@dataclass(frozen=True)
class LinearResult:
    """What was found for a matrix: sums of bytes, and words of a machine (none where the words are bytes)."""

    matrix: Matrix
    machine: Machine
    word_bits: int
    is_free: bool
    sums: Sums
    best: tuple[BestProgram, ...]

    @property
    def xor_bound(self) -> int:
        """Exclusive ors of words that every program needs: each adds as many bytes as a word holds."""
        return -(-self.sums.xor_bound // (self.word_bits // 8))


StopCallback = Callable[[str], bool]


def search(
    matrix: Matrix,
    machine: Machine,
    word_bits: int = 32,
    *,
    is_free: bool = True,
    most_nodes: int = MOST_NODES,
    tell: StopCallback = lambda _line: False,
) -> LinearResult:
    """Search programs of bytes, then of words, and check each one.

    `tell` gets a line now and then and returns whether to stop; the best so far is returned then.

    Raises
    ------
    UsageError
        ``L207``: a word width that cannot be; ``L219``: one that the matrix does not fill; ``L208``: too
        many columns.
    VerificationError
        ``L411``: a program that is wrong.
    """
    _check_size(matrix, word_bits)
    bytes_ = sums.search(matrix, most_nodes=most_nodes, tell=tell)
    check(matrix, bytes_.program)
    best: list[BestProgram] = []
    if word_bits > 8 or not matrix.is_binary:
        run = _Run(matrix, machine, word_bits, is_free, most_nodes, tell)
        best = [run.operations(bytes_)]
        if word_bits > 8:
            best.append(run.cycles(best[0], bytes_))
    return LinearResult(matrix, machine, word_bits, is_free, bytes_, tuple(best))


def _check_size(matrix: Matrix, word_bits: int) -> None:
    if word_bits not in WORD_SIZES:
        raise UsageError("L207", f"words of {word_bits} bits are not searched", help="8, 16, 32 or 64")
    if len(matrix.rows) % (word_bits // 8) or matrix.columns % (word_bits // 8):
        raise UsageError(
            "L219",
            f"matrix `{matrix.name}`, {len(matrix.rows)} rows by {matrix.columns} columns, does not fill"
            f" words of {word_bits} bits",
            help="choose --word-size so that rows and columns fill whole words",
        )
    if not matrix.is_searched:
        raise UsageError(
            "L208",
            f"matrix `{matrix.name}` has {matrix.columns} columns",
            notes=[f"at most {MOST if matrix.is_binary else MOST_OF_FIELD} are searched over this field"],
        )


@dataclass(frozen=True)
class _Run:
    """One matrix in words of one size on one machine."""

    matrix: Matrix
    machine: Machine
    word_bits: int
    is_free: bool
    most_nodes: int
    tell: StopCallback

    def operations(self, bytes_: Sums) -> BestProgram:
        """Return the program of fewest operations: with few masks first, then with all."""
        size = self.word_bits // 8
        best = bytes_.program if size == 1 else None
        bound, efforts = -(-bytes_.xor_bound // size), list[Effort]()
        for stage in self.machine.stages(size):
            most = len(best.steps) - 1 if best else MOST_OPERATIONS
            program, effort = self._ask("operations", stage, most)
            best = program or best
            if best is None and effort.end != _ENDS["stopped"] and stage != "none":
                best = construct(self.matrix, self.word_bits, self.machine, is_free=self.is_free)
            efforts.append(effort)
            if stage == self.machine.stages(size)[-1] and effort.count is not None:
                bound = max(bound, effort.count + 1)
        if best is not None:
            check(self.matrix, best)
        return BestProgram("operations", best, len(best.steps) if best else None, bound, tuple(efforts))

    def cycles(self, few: BestProgram, bytes_: Sums) -> BestProgram:
        """Return the program of fewest cycles, and of fewest operations in them where that is soon found."""
        size = self.word_bits // 8
        best = scheduled(few.program, self.machine) if few.program else None
        bound, efforts = -(-few.bound // self.machine.issue), list[Effort]()
        if best is not None:
            best = self._sooner(best)
        for stage in self.machine.stages(size):
            most = self._length(best) - 1 if best else MOST_OPERATIONS
            program, effort = self._ask("cycles", stage, most)
            if program is not None:
                best = self._fewer_operations(program, stage, effort)
            efforts.append(effort)
            if stage == self.machine.stages(size)[-1] and effort.count is not None:
                bound = max(bound, effort.count + 1)
        if best is not None:
            check(self.matrix, best)
        return BestProgram("cycles", best, self._length(best) if best else None, bound, tuple(efforts))

    def _sooner(self, best: Program) -> Program:
        """Return a faster program of a few operations more: soon searched, so that proofs begin below it."""
        for extra in range(3):
            limits = (0, self._length(best) - 1, len(best.steps) + extra, self.most_nodes // SLOWER)
            best = self._program(self._said("cycles", "none", limits)) or best
        return best

    def _length(self, program: Program) -> int:
        latencies = {kind: operation.latency for kind, operation in self.machine.operations.items()}
        latencies |= {"up": latencies.get("shift", 1), "down": latencies.get("shift", 1)}
        ends = (
            start + latencies[step.kind] for start, step in zip(program.starts, program.steps, strict=True)
        )
        return max(ends, default=0)

    def _fewer_operations(self, program: Program, stage: str, effort: Effort) -> Program:
        length = self._length(program)
        while effort.nodes and effort.nodes[-1] <= FEW:
            limits = (length, length, len(program.steps) - 1, self.most_nodes)
            fewer = self._program(self._said("cycles", stage, limits))
            if fewer is None:
                break
            program = fewer
        return program

    def _ask(self, aim: str, stage: str, most: int) -> tuple[Program | None, Effort]:
        nodes = self.most_nodes // (SLOWER if aim == "cycles" else 1)
        said = self._said(aim, stage, (0, most, NO_LIMIT, nodes))
        counts = [entry["nodes"] for entry in said["exhausted"]]
        last = said["exhausted"][-1]["count"] if counts else -1
        end = _ENDS[said["end"]]
        count = None if said["end"] == "impossible" else last
        return self._program(said), Effort(aim, MASKS[stage], count, tuple(counts), end)

    def _said(self, aim: str, stage: str, limits: tuple[int, int, int, int]) -> dict[str, Any]:
        size, binary = self.word_bits // 8, self.matrix.is_binary

        def heard(line: str) -> bool:
            return self.tell(f"{line} {aim}, {MASKS[stage]}" if line else "")

        text = _engine.linear_words(
            [bytes(row) for row in self.matrix.rows],
            self.matrix.polynomial,
            size,
            self.is_free,
            aim == "cycles",
            self.machine.as_json(size, stage, is_binary=binary),
            limits,
            heard,
        )
        document: dict[str, Any] = json.loads(text)
        return document

    def _program(self, said: dict[str, Any]) -> Program | None:
        if not said["outputs"]:
            return None
        steps = []
        for entry in said["steps"]:
            for kind, operands in entry.items():
                steps.append(Step(kind, tuple(operands) if isinstance(operands, list) else (operands,)))
        orders = (tuple(said["input_order"]), tuple(said["output_order"]))
        outputs = tuple(said["outputs"])
        return Program(
            self.word_bits, self.matrix.polynomial, tuple(steps), outputs, *orders, tuple(said["starts"])
        )
