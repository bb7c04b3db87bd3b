"""`assay kat`: known answers, checked and generated."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.console.help import DESCRIBE, Verbs
from cipherassay.console.options import writable_folder
from cipherassay.console.output import Json, output, write_json
from cipherassay.console.progress import format_time, progress
from cipherassay.errors import VerificationError

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher
    from cipherassay.known_answers.choosing import BackendName
    from cipherassay.vectors import Backend, Outcome, VectorFile

SHOWN = 500_000
"""Cipher operations from which on progress is shown."""


def register(app: typer.Typer) -> None:
    """Add the verb and its two parts."""
    kat = Verbs("Known answers: check vector files, generate them.")
    kat.command("check")(check)
    kat.command("generate")(generate)
    app.add_typer(kat, name="kat", rich_help_panel=DESCRIBE)


def check(
    files: Annotated[list[Path], typer.Argument(help="Vector files, in either layout.", show_default=False)],
    cipher: Annotated[str, typer.Option(help="The cipher; else taken from the file's header or name.")] = "",
    variant: Annotated[str, typer.Option(help="The cipher's variant, where it has several.")] = "",
    backend: Annotated[
        str,
        typer.Option(
            help="`evaluator`, `c` or `python`; else C for Monte Carlo files and the evaluator for others."
        ),
    ] = "",
    strategy: Annotated[str, typer.Option(help="The strategy of the C code; else the cipher's own.")] = "",
    chains: Annotated[
        bool, typer.Option("--chains", help="Compute also the Monte Carlo records between those in the file.")
    ] = False,
    json: Json = False,
) -> None:
    """Check every record of vector files.

    Exit 0 only when all pass. A file has one record per line (`T=KAT SET=ecb_vk KS=128 I=1 KEY=… PT=…
    CT=…`), or the layout of NIST's files of 1998. Blocks and messages are checked in both directions, Monte
    Carlo records by their own 10,000 steps. Listings of intermediate values, made by the submitters or by
    `assay kat generate`, are compared with a plain run.
    """
    from cipherassay.known_answers.choosing import make_backend
    from cipherassay.vectors.listing_check import check_listing

    # All files are read before any is checked, so that a broken one is told at once.
    jobs = [_job(path, cipher, variant, backend) for path in files]
    made: dict[tuple[str, str, str], Backend] = {}
    documents, failed = [], False
    for job in jobs:
        if job.file is None:
            outcome, error = check_listing(job.path, job.text, job.cipher, job.variant)
        else:
            key = (job.cipher.slug, job.variant, job.backend)
            if key not in made:
                made[key] = make_backend(job.backend, job.cipher, job.variant, strategy)
            outcome = _check(job.file, job.cipher, made[key], chains=chains, quiet=json)
            error = _error(outcome, job.cipher, job.variant, made[key])
        documents.append(_document(outcome, job.cipher, job.variant, error))
        if not json:
            _report(outcome, job.cipher, job.variant)
        if error is not None:
            failed = True
            typer.echo(str(error), err=True)
    if json:
        write_json({"ok": not failed, "files": documents})
    elif len(documents) > 1:
        _report_sum(documents)
    if failed:
        raise typer.Exit(VerificationError.exit_code)


def generate(
    cipher: Annotated[
        str, typer.Argument(help="A cipher's name, or the path of a cipher file.", show_default=False)
    ],
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="Which test, for example `ecb_vk`; may be given several times. Default: all."
        ),
    ] = None,
    key_bits: Annotated[
        list[int] | None,
        typer.Option("--key-bits", help="Which key size; may be given several times. Default: all."),
    ] = None,
    variant: Annotated[str, typer.Option(help="The cipher's variant, where it has several.")] = "",
    records: Annotated[
        str, typer.Option(help="Which Monte Carlo records, for example `0-19,399`.")
    ] = "0-399",
    backend: Annotated[
        str,
        typer.Option(help="`evaluator`, `c` or `python`; else C for Monte Carlo tests and the evaluator."),
    ] = "",
    strategy: Annotated[str, typer.Option(help="The strategy of the C code; else the cipher's own.")] = "",
    folder: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            callback=writable_folder,
            help="The folder to write into. Default: the cipher's name.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Write known answers in NIST's layout of 1998, by NIST's rules.

    The tests: ecb_vk, ecb_vt, ecb_tbl (where the cipher's submitters defined one), the Monte Carlo tests
    ecb_e_m, ecb_d_m, cbc_e_m, cbc_d_m, and ecb_iv, the intermediate values of one block per key size.
    """
    from cipherassay.console.output import output_folder, write_file
    from cipherassay.known_answers.writing import GenerationRequest, file_text
    from cipherassay.vectors.kept import folder_name

    wanted = GenerationRequest.of(cipher, variant, sets or [], key_bits or [], records, backend, strategy)
    target = output_folder(folder if folder is not None else Path(folder_name(wanted.cipher, variant)))
    written = []
    with progress(
        f"{wanted.cipher.name}: generating", wanted.steps, quiet=json or wanted.steps < SHOWN
    ) as bar:
        for name in wanted.sets:
            path = target / f"{name}.txt"
            text, count = file_text(wanted, name, advance=bar.advance)
            write_file(path, text)
            written.append({"file": str(path), "set": name, "records": count})
    if json:
        write_json({"cipher": wanted.cipher.slug, "variant": variant or None, "files": written})
        return
    for line in written:
        output().print(f"{line['file']}: {line['records']:,} records", markup=False)


@dataclass
class _Job:
    """One file to check: known answers, or (`file` is None) a listing of intermediate values."""

    path: Path
    text: str
    file: VectorFile | None
    cipher: Cipher
    variant: str
    backend: BackendName


def _job(path: Path, cipher: str, variant: str, backend: str) -> _Job:
    from cipherassay.known_answers.choosing import backend_name
    from cipherassay.vectors import read_vectors
    from cipherassay.vectors.listing_check import is_listing
    from cipherassay.vectors.listings import variant_of
    from cipherassay.vectors.reading import algorithm_of, read_text
    from cipherassay.vectors.which_cipher import which_cipher

    text = read_text(path)
    which, other = which_cipher(path, algorithm_of(text), cipher, variant)
    if is_listing(path, text):
        return _Job(path, text, None, which, other or variant_of(which, path) or "", "python")
    file = read_vectors(path, *which.sizes)
    return _Job(path, text, file, which, other, backend_name(backend, file))


def _check(file: VectorFile, cipher: Cipher, backend: Backend, *, chains: bool, quiet: bool) -> Outcome:
    import os

    from cipherassay.vectors import check_file
    from cipherassay.vectors.checking import steps

    threads = (os.cpu_count() or 1) if backend.name.startswith("c") else 1
    total = steps(file, chains=chains)
    with progress(file.path, total, quiet=quiet or total < SHOWN) as bar:
        return check_file(
            file,
            backend,
            key_bits=cipher.key_bits,
            byte_order=cipher.nist_byte_order,
            threads=threads,
            chains=chains,
            advance=bar.advance,
        )


def _error(outcome: Outcome, cipher: Cipher, variant: str, backend: Backend) -> VerificationError | None:
    if outcome.ok:
        return None
    from cipherassay.vectors.explaining import failure_error

    beside = Path(outcome.path).resolve().parent
    return failure_error(outcome, cipher, variant, backend, (beside, beside / "iv"))


def _name(cipher: Cipher, variant: str) -> str:
    return f"{cipher.name}, variant {variant}" if variant else cipher.name


def _report(outcome: Outcome, cipher: Cipher, variant: str) -> None:
    verdict = "pass" if outcome.ok else "FAIL"
    sets = ", ".join(f"{name} {count:,}" for name, count in outcome.sets.items())
    console = output()
    console.print(
        f"{verdict}  {outcome.path}: {_name(cipher, variant)} by {outcome.backend}: {outcome.summary()}",
        markup=False,
    )
    console.print(f"      {sets}  [{format_time(outcome.seconds)}]", markup=False)


def _report_sum(documents: list[dict[str, Any]]) -> None:
    from cipherassay.vectors.records import KIND_TEXT

    parts = []
    for kind, text in KIND_TEXT.items():
        total = sum(document["total"].get(kind, 0) for document in documents)
        passed = sum(document["passed"].get(kind, 0) for document in documents)
        if total:
            parts.append(f"{passed:,} of {total:,} {text}")
    output().print(f"{len(documents)} files: {', '.join(parts)}", markup=False)


def _document(
    outcome: Outcome, cipher: Cipher, variant: str, error: VerificationError | None
) -> dict[str, Any]:
    return {
        "file": outcome.path,
        "cipher": cipher.slug,
        "variant": variant or None,
        "backend": outcome.backend,
        "ok": outcome.ok,
        "total": dict(outcome.total),
        "passed": dict(outcome.passed),
        "sets": dict(outcome.sets),
        "chain_links": outcome.links,
        "seconds": outcome.seconds,
        "failures": [
            {
                "line": failure.record.place.line,
                "set": failure.record.set,
                "key_bits": failure.record.key_bits,
                "index": failure.record.index,
                "computed": failure.answer.what,
                "field": failure.answer.field,
                "expected": failure.answer.expected.hex().upper(),
                "found": failure.answer.got.hex().upper(),
            }
            for failure in outcome.failures
        ],
        "error": str(error) if error else None,
    }
