"""Proofs that a box has no circuit of so few gates or ANDs.

A question is put to a SAT solver count by count: is there a circuit with exactly so many? A yes is decoded,
checked and measured like any circuit. A no comes with a proof file that a checker accepts or not; it shares
no code with the solver or with what writes the clauses. A claim holds when every count up to it is refuted.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import lzma
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cipherassay import keeping, signals
from cipherassay.circuits import certificates, engine, outside
from cipherassay.circuits.boxes import Box
from cipherassay.circuits.certificates import Certificate, Refutation
from cipherassay.circuits.engine import Problem
from cipherassay.circuits.targets import Target
from cipherassay.errors import ToolError, VerificationError

_engine: Any = importlib.import_module("cipherassay._engine")

KEPT_BYTES = 300_000
"""Compressed proofs up to this size are kept beside their certificate."""
TRIMMED_BYTES = 1_500_000_000
"""Longer proofs are checked as they are, not trimmed, which takes several times their size in memory."""

IMPOSSIBLE, FOUND, UNDECIDED = "proved impossible", "found", "undecided"

ProgressCallback = Callable[[float, str], None]
"""Called now and then with the seconds that passed and a line on what is being done."""


@dataclass(frozen=True)
class Answer:
    """What became of a question.

    Parameters
    ----------
    outcome : str
        ``proved impossible``: no circuit has the metric at or below the value; ``found``: `circuit` has;
        ``undecided``: not known when the time was over, or it was interrupted.
    certificate : Certificate
        What was proved: of an undecided question, or of a found circuit, the counts below.
    proofs : mapping of int to bytes
        The compressed proofs that are short enough to keep, by count.
    """

    outcome: str
    certificate: Certificate
    proofs: dict[int, bytes]
    circuit: str = ""
    reason: str = ""
    """Why it is undecided: ``time``, ``interrupted``."""
    seconds: float = 0.0


class _Over(Exception):
    """The time is over."""


@dataclass
class _Run:
    """One question being answered."""

    problem: Problem
    metric: str
    folder: Path
    start: float
    until: float
    told: ProgressCallback

    def stop(self, line: str) -> Callable[[str], bool]:
        """Return what the engine asks; it also tells of the time."""

        def ask(_: str) -> bool:
            now = time.monotonic()
            self.told(now - self.start, line)
            return now >= self.until

        return ask

    def refute(self, count: int) -> tuple[Refutation, bytes] | str:
        """Return the checked refutation of a count and its compressed proof, or a circuit of that count."""
        clauses, proof, kept = (self.folder / f"{count}.{end}" for end in ("cnf", "lrat", "kept"))
        what = f"{self.metric} {count}"
        made = json.loads(_engine.circuit_clauses(self.problem.as_json(), self.metric, count, str(clauses)))
        begun = time.monotonic()
        answer = json.loads(
            _engine.circuit_refute(
                self.problem.as_json(),
                self.metric,
                count,
                str(clauses),
                str(proof),
                self.stop(f"{what}: solving"),
            )
        )
        solved = time.monotonic()
        if answer["answer"] == "undecided":
            raise _Over
        if answer["answer"] == "found":
            return self._circuit(answer["circuit"])
        if proof.stat().st_size <= TRIMMED_BYTES:
            _engine.proof_trim(str(clauses), str(proof), str(kept))
        else:
            proof.rename(kept)
        checking = time.monotonic()
        verdict = _accept(clauses, kept, self.stop(f"{what}: checking the proof"))
        refutation = Refutation(
            count=count,
            statement=made["statement"],
            variables=made["variables"],
            clauses=made["clauses"],
            clauses_sha256=_sha256(clauses),
            proof_bytes=(proof if proof.exists() else kept).stat().st_size,
            proof_sha256=_sha256(proof if proof.exists() else kept),
            kept_bytes=kept.stat().st_size,
            kept_sha256=_sha256(kept),
            kept_steps=verdict["added"],
            kept_reasons=verdict["reasons"],
            file="",
            solver_seconds=round(solved - begun, 2),
            checker_seconds=round(time.monotonic() - checking, 2),
            outside=outside.verdicts(clauses, kept, self.folder),
        )
        packed = lzma.compress(kept.read_bytes(), preset=9) if kept.stat().st_size <= 4 * KEPT_BYTES else b""
        proof.unlink(missing_ok=True)
        kept.unlink()
        return refutation, packed

    def _circuit(self, circuit: dict[str, Any]) -> str:
        box, target = self.problem.box, self.problem.target
        document = {"name": box.name, "fields": [], "circuit": circuit}
        text: str = _engine.circuit_write(json.dumps(document), target.as_json())
        engine.check(text, box, target)
        return text


def prove(
    box: Box,
    target: Target,
    metric: str,
    value: int,
    *,
    seconds: float = float("inf"),
    told: ProgressCallback | None = None,
    folder: Path | None = None,
) -> Answer:
    """Prove that no circuit of a box has a metric at or below a value, or find one that has.

    Parameters
    ----------
    metric : str
        ``gates``, or ``and_count`` where every function of two inputs is a gate.
    seconds : float
        On the clock; the question is undecided after them.
    folder : Path, optional
        For clauses and proofs while they are made: some take gigabytes.

    Raises
    ------
    UsageError
        ``C310``, ``C311``, ``C323``: nothing can be proved of this target, metric or box.
    VerificationError
        ``C329``: the checker refuses the solver's proof; ``C103``, ``C104``: the solver's circuit is wrong.
    ToolError
        ``C315``: clauses or proof cannot be written; ``C317``: the engine has no solver.
    """
    problem, asked = _ask(box, target, metric)
    certificate = Certificate(
        box.name, box.data, box.outputs, target.name, metric, asked["least"] - 1, asked["least"],
        asked["inverters"], _engine.solver_version(), (),
    )  # fmt: skip
    start = time.monotonic()
    proofs: dict[int, bytes] = {}
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix="assay-proof-") as work:
            run = _Run(problem, metric, Path(work), start, start + seconds, told or (lambda _s, _l: None))
            for count in range(asked["least"], value + 1):
                done = run.refute(count)
                if isinstance(done, str):
                    return Answer(FOUND, certificate, proofs, done, seconds=time.monotonic() - start)
                certificate = replace(
                    certificate, value=count, refutations=(*certificate.refutations, done[0])
                )
                if 0 < len(done[1]) <= KEPT_BYTES:
                    proofs[count] = done[1]
    except _Over:
        return Answer(UNDECIDED, certificate, proofs, reason="time", seconds=time.monotonic() - start)
    except KeyboardInterrupt:
        signals.finishing()
        return Answer(UNDECIDED, certificate, proofs, reason="interrupted", seconds=time.monotonic() - start)
    except OSError as error:
        notes = [error.strerror or str(error)]
        raise ToolError("C315", "clauses or proof cannot be written", notes=notes) from None
    certificate = replace(certificate, value=max(value, certificate.value))
    return Answer(IMPOSSIBLE, certificate, proofs, seconds=time.monotonic() - start)


def _ask(box: Box, target: Target, metric: str) -> tuple[Problem, dict[str, int]]:
    """Return the problem and what is known at sight: `least`, `inverters`."""
    if not hasattr(_engine, "circuit_question"):
        raise ToolError(
            "C317",
            "the engine was built without the SAT solver",
            help="`make setup` builds it with it; that needs a C++ compiler",
        )
    problem = Problem(box, target, target.full_objective((metric,)))
    asked: dict[str, int] = json.loads(_engine.circuit_question(problem.as_json(), metric))
    return problem, asked


def keep(answer: Answer, box: Box, target: Target) -> Path:
    """Write an answer's certificate and its short proofs; returns the certificate's file."""
    certificate = answer.certificate
    refutations = []
    for one in certificate.refutations:
        file = ""
        if one.count in answer.proofs:
            file = f"{box.variant}.{target.file_name}.{certificate.metric}.{one.count}.lrat.xz"
            keeping.write(certificates.KIND, f"{box.family}/{file}", answer.proofs[one.count])
        refutations.append(replace(one, file=file))
    name = certificates.file_of(box, target, certificate.metric, certificate.value)
    text = replace(certificate, refutations=tuple(refutations)).text()
    return keeping.write(certificates.KIND, name, text)


@dataclass(frozen=True)
class CertificateCheck:
    """What a certificate's check came to: counts checked from their kept proofs, and those without one."""

    checked: tuple[int, ...]
    not_kept: tuple[int, ...]


def check(
    path: Path, box: Box, target: Target, *, remake: bool = False, told: ProgressCallback | None = None
) -> CertificateCheck:
    """Check a certificate: its clauses made anew, and every kept proof by the checker.

    With `remake`, proofs that are not kept are made anew, checked and compared with those named.

    Raises
    ------
    DescriptionError
        ``A001``: the file is damaged.
    VerificationError
        ``C314``, ``C324`` to ``C329``: clauses or proof are not those that it names, the checker refuses
        the proof, a count is missing.
    """
    certificate = certificates.read(path)
    if certificate is None:
        raise VerificationError("C314", f"`{path.name}` follows another version of the schema")
    if (certificate.table, certificate.outputs) != (box.data, box.outputs):
        raise VerificationError("C324", f"`{path.name}` is of another box than {box.name}")
    problem, asked = _ask(box, target, certificate.metric)
    counts = [one.count for one in certificate.refutations]
    if counts != list(range(asked["least"], certificate.value + 1)):
        raise VerificationError(
            "C325",
            f"`{path.name}` does not refute every count up to {certificate.value}",
            notes=[f"refuted: {', '.join(map(str, counts)) or 'none'}; first to refute: {asked['least']}"],
        )
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="assay-proof-") as work:
        run = _Run(
            problem, certificate.metric, Path(work), start, float("inf"), told or (lambda _s, _l: None)
        )
        done = [one.count for one in certificate.refutations if _check_one(run, one, path, remake=remake)]
    return CertificateCheck(tuple(done), tuple(count for count in counts if count not in done))


def _check_one(run: _Run, one: Refutation, path: Path, *, remake: bool) -> bool:
    """Check one refutation; False if its proof is neither kept nor remade."""
    clauses, kept = run.folder / "cnf", run.folder / "kept"
    _engine.circuit_clauses(run.problem.as_json(), run.metric, one.count, str(clauses))
    _same(_sha256(clauses), one.clauses_sha256, f"the clauses for {run.metric} {one.count}", path)
    if not one.file:
        if remake:
            _remake(run, one, path)
        return remake
    try:
        kept.write_bytes(lzma.decompress((path.parent / one.file).read_bytes()))
    except (OSError, lzma.LZMAError) as error:
        raise VerificationError("C326", f"`{one.file}` cannot be read", notes=[str(error)]) from None
    _same(_sha256(kept), one.kept_sha256, f"the proof `{one.file}`", path)
    _accept(clauses, kept, run.stop(f"{run.metric} {one.count}: checking the proof"))
    return True


def _remake(run: _Run, one: Refutation, path: Path) -> None:
    made = run.refute(one.count)
    if isinstance(made, str):
        raise VerificationError("C327", f"{run.metric} {one.count} is not impossible", notes=[made])
    _same(made[0].kept_sha256, one.kept_sha256, f"the proof for {run.metric} {one.count}", path)


def _same(found: str, stated: str, what: str, path: Path) -> None:
    if found != stated:
        raise VerificationError(
            "C328",
            f"{what} are not those of the certificate"
            if "clauses" in what
            else f"{what} is not the one named",
            notes=[f"SHA-256 {found}", f"{path.name} states {stated}"],
            help="prove it anew: the command stands in the certificate",
        )


def _accept(clauses: Path, proof: Path, ask: Callable[[str], bool]) -> dict[str, Any]:
    verdict: dict[str, Any] = json.loads(_engine.proof_check(str(clauses), str(proof), ask))
    if not verdict["accepted"]:
        if ask(""):
            raise _Over
        raise VerificationError(
            "C329",
            "the checker refuses the solver's proof",
            notes=[verdict["reason"]],
            help="this is a bug of the solver or of the checker; nothing is proved",
        )
    return verdict


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
