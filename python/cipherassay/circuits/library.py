"""The library of the best circuits known: ``kept/circuits/<family>/<box>.<target>.<objective>.txt``.

Nothing enters that was not checked against its box and measured anew by the engine, and nothing replaces a
better one. A circuit of equal metrics replaces only a weaker statement of how good it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cipherassay import keeping
from cipherassay.circuits import boxes, documents, engine, published, targets
from cipherassay.circuits.bounds import known
from cipherassay.circuits.boxes import Box
from cipherassay.circuits.documents import Document, Proof
from cipherassay.circuits.engine import Bound, Problem
from cipherassay.circuits.evaluate import values
from cipherassay.circuits.metrics import METRICS, key
from cipherassay.circuits.targets import Target
from cipherassay.errors import AssayError, UsageError, VerificationError

KIND = "circuits"
"""The kind of kept artefacts; a folder per family of boxes. A function's ``folder`` is another library."""


@dataclass(frozen=True)
class StoredCircuit:
    """A circuit of the library and its file."""

    path: Path
    document: Document

    @property
    def box(self) -> str:
        """The box's name: ``CIPHER.S3``."""
        return self.document.name

    @property
    def target(self) -> str:
        """The target's name: ``two-input``."""
        return self.document.head.get("target", "")

    @property
    def metric(self) -> str:
        """The first metric of its objective."""
        return self.document.objective[0]

    @property
    def value(self) -> float:
        """Its count of that metric, as the head states it."""
        return self.document.metrics[self.metric]

    @property
    def text(self) -> str:
        """The circuit in its text form."""
        return self.document.text()


@dataclass(frozen=True)
class KeepResult:
    """What became of a circuit that was to be kept."""

    stored: bool
    reason: str
    """``new``, ``better``, ``better known``, ``not better``."""
    path: Path
    metrics: dict[str, float]


def file_of(box: Box, target: Target, metric: str) -> str:
    """Return the name of the file of the best circuit for a box, a target and an objective's first metric."""
    return f"{box.family}/{box.variant}.{target.file_name}.{metric}.txt"


def read(path: Path) -> StoredCircuit:
    """Read a file of the library, without checking it."""
    text = path.read_text(encoding="utf-8")
    return StoredCircuit(path, documents.one(text, str(path)))


def stored(
    family: str = "", target: str = "", metric: str = "", folder: Path | None = None
) -> Iterator[StoredCircuit]:
    """Give every stored circuit of a family, target and objective (empty: of all), in order of file name."""
    pattern = f"{family or '*'}/*.txt"
    for path in sorted(folder.glob(pattern)) if folder else keeping.files(KIND, pattern):
        found = read(path)
        if target in ("", found.target) and metric in ("", found.metric):
            yield found


def find(box: Box, target: Target, metric: str = "", folder: Path | None = None) -> StoredCircuit | None:
    """Return the best circuit of a box for a target and objective (empty: the target's own), or None."""
    path = _find(file_of(box, target, metric or target.objective[0]), folder)
    return read(path) if path else None


def _find(name: str, folder: Path | None) -> Path | None:
    if folder is None:
        return keeping.find(KIND, name)
    return path if (path := folder / name).is_file() else None


def best(box: Box, target: Target, metric: str = "", folder: Path | None = None) -> StoredCircuit:
    """Return the best circuit as `find` does.

    Raises
    ------
    UsageError
        ``C501``: the library has none.
    """
    found = find(box, target, metric, folder)
    if found is None:
        wanted = metric or target.objective[0]
        have = sorted(
            {f"{s.target} ({s.metric})" for s in stored(box.family, folder=folder) if s.box == box.name}
        )
        raise UsageError(
            "C501",
            f"the library has no circuit of {box.name} for {target.name} with few {wanted}",
            notes=[f"it has: {', '.join(have)}"] if have else [],
            help=f"assay circuit search {box.name} --target {target.name} --objective {wanted} --keep",
        )
    return found


def compose(
    document: Document,
    box: Box,
    target: Target,
    objective: Sequence[str],
    *,
    proof: str = "",
    effort: str = "",
    origin: str = "",
) -> Document:
    """Return a circuit with its head made anew: checked against the box, measured on the target.

    Raises
    ------
    VerificationError
        ``C103``, ``C104``: it does not compute the box; ``C503``, ``C511``: a proof contradicts its metrics;
        ``C509``: the target cannot run it as the objective asks.
    UsageError, DescriptionError
        ``C0xx``, ``C2xx``: it cannot be read, or the target cannot compute it.
    """
    registers = {k: v for k, v in document.head.items() if k == "registers"}
    bare = Document(box.name, box.inputs, box.outputs, registers, document.equations)
    if not registers:  # the order of a sequence of instructions is what was searched
        bare = documents.one(engine.fit(bare.text(), target))
    engine.check(bare.text(), box, target)
    found = engine.measure(bare.text(), target)
    metrics = {metric: found[metric] for metric in METRICS if metric in found}
    if objective[0] not in metrics:
        raise VerificationError(
            "C509",
            f"a circuit of {box.name} has no {objective[0]} on {target.name}",
            notes=engine.remarks(bare.text(), target),
        )
    named = Document(box.name, box.inputs, box.outputs, document.head, bare.equations)
    stated = Proof(proof or document.head.get("proof", "best found"))
    stated = _strengthened(stated, Problem(box, target, tuple(objective)), metrics)
    for metric in objective:
        bound = stated.bound(metric)
        if bound is not None and metrics.get(metric, bound) < bound:
            raise VerificationError(
                "C503",
                f"a circuit of {box.name} contradicts its proof",
                notes=[f"it has {metric} {metrics[metric]:g}", f"the proof: {stated.text}"],
            )
    return named.with_head(
        table=" ".join(map(str, box.data)),
        target=target.name,
        objective=" ".join(objective),
        metrics=documents.write_metrics(metrics),
        proof=stated.text,
        effort=effort or document.head.get("effort", ""),
        published=published.line(box, target, objective),
        origin=origin or document.head.get("origin", "own search"),
    )


def _strengthened(stated: Proof, problem: Problem, metrics: Mapping[str, float]) -> Proof:
    """Return a proof's text with what counting and stored proofs say besides; the same if nothing."""
    added: dict[str, Bound] = {}
    for bound in known(problem):
        metric = bound.metric
        beaten = max(stated.bound(metric) or 0, added[metric].value if metric in added else 0)
        if bound.value > beaten and not stated.proves(metric):
            added[metric] = bound
    if not added:
        return stated
    proved, bounds = [], []
    for metric in problem.objective:
        value, reason = stated.bound(metric), stated.reason(metric)
        if metric in added:
            value, reason = added[metric].value, added[metric].kind
        told = f" ({reason})" if reason else ""
        if stated.proves(metric) or (value is not None and value == metrics.get(metric)):
            proved.append(f"{metric}{told}")
        elif value is not None:
            bounds.append(f"{metric} >= {value:g}{told}")
    return Proof("; ".join([f"optimal: {', '.join(proved)}" if proved else "best found", *bounds]))


def keep(
    text: str | Document,
    *,
    box: str | Box = "",
    target: str | Target = "",
    objective: Sequence[str] = (),
    proof: str = "",
    effort: str = "",
    origin: str = "",
    folder: Path | None = None,
) -> KeepResult:
    """Keep a circuit if it is right and better than what is kept; its head says what is not given.

    Parameters
    ----------
    objective : sequence of str
        Metrics, the most important first; the target's own follow. The first one names the file.
    proof, effort, origin : str
        As the head has them: ``best found; gates >= 12 (…)``, ``beam, width 20000, seed 1``, ``own search``.

    Raises
    ------
    What `compose` raises: a wrong circuit is never kept.
    """
    document = documents.one(text) if isinstance(text, str) else text
    sbox = boxes.find(box or document.name) if isinstance(box, str) else box
    machine = targets.find(target or document.head.get("target", "")) if isinstance(target, str) else target
    order = machine.full_objective(tuple(objective or document.objective))
    name = file_of(sbox, machine, order[0])
    known = _find(name, folder)
    old = read(known).document if known else None
    fresh = compose(document, sbox, machine, order, proof=proof, effort=effort, origin=origin)
    if old is not None and not proof:
        fresh = _with_known(fresh, old, order[0])
    reason = _reason(fresh, old, order)
    if reason == "not better":
        assert known is not None
        return KeepResult(False, reason, known, fresh.metrics)
    path = folder / name if folder else keeping.home() / KIND / name
    keeping.replace(path, fresh.text())
    return KeepResult(True, reason, path, fresh.metrics)


def _with_known(fresh: Document, old: Document, metric: str) -> Document:
    """Carry over what is proved of an older circuit, which holds for every circuit of the box."""
    optimal = old.proof.proves(metric)
    if optimal and fresh.metrics[metric] < old.metrics[metric]:
        raise VerificationError(
            "C511",
            f"a circuit of {fresh.name} contradicts the proof of the one that is kept",
            notes=[
                f"it has {metric} {fresh.metrics[metric]:g}, the kept one {old.metrics[metric]:g}",
                f"the proof: {old.proof.text}",
            ],
        )
    stronger = _strength(old.proof, [metric]) > _strength(fresh.proof, [metric])
    same = fresh.metrics[metric] == old.metrics[metric]
    return fresh.with_head(proof=old.proof.text) if stronger and (same or not optimal) else fresh


def _reason(fresh: Document, old: Document | None, order: Sequence[str]) -> str:
    if old is None:
        return "new"
    mine, theirs = key(fresh.metrics, order), key(old.metrics, order)
    if mine != theirs:
        return "better" if mine < theirs else "not better"
    return "better known" if _strength(fresh.proof, order) > _strength(old.proof, order) else "not better"


def _strength(proof: Proof, order: Sequence[str]) -> tuple[int, ...]:
    """How much a proof says: metrics proved optimal, then bounds, in the order of the objective."""
    return tuple(100_000 if proof.proves(m) else int(100 * (proof.bound(m) or 0)) for m in order)


def verify(item: StoredCircuit) -> list[str]:
    """Check a stored circuit: table, place, metrics, proof; return what is wrong, nothing if it is right."""
    try:
        return _problems(item)
    except AssayError as error:
        return ["; ".join([error.message, *error.notes])]


def _problems(item: StoredCircuit) -> list[str]:
    document = item.document
    box, target = boxes.find(document.name), targets.find(item.target)
    if document.head.get("table") != " ".join(map(str, box.data)):
        return ["its table is not that of the box"]
    expected = file_of(box, target, item.metric)
    (structure,) = engine.read(item.text, target, file=str(item.path))
    if values(structure["circuit"]) != box.data:
        return ["evaluated by itself, it does not compute the box"]
    wrong = [] if expected == f"{item.path.parent.name}/{item.path.name}" else [f"its place is {expected}"]
    made = compose(document, box, target, document.objective)
    if made.head["metrics"] != document.head.get("metrics"):
        wrong.append(f"its metrics are {made.head['metrics']}")
    if made.head.get("published", "") != document.head.get("published", ""):
        wrong.append(f"the published count is {made.head.get('published', '') or 'none'}")
    return wrong
