"""The check of a cipher file: one verdict per thing that a reviewer would look for."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.errors import AssayError, DescriptionError, Place, VerificationError
from cipherassay.review.answers import check_answers
from cipherassay.review.citations import functions_without_source
from cipherassay.review.repeating import check_repeats
from cipherassay.review.tables import note_tables
from cipherassay.review.verdict import Review, Verdict

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher

MOST_LINES = 179
BLOCKS = 64
"""Random blocks per key size that are encrypted and decrypted."""


def check(
    name_or_path: str,
    vectors: Sequence[Path] = (),
    begin: Callable[[str], None] = lambda step: None,
    found: Callable[[Verdict], None] = lambda verdict: None,
) -> Review:
    """Check a cipher file.

    Parameters
    ----------
    name_or_path : str
        A cipher's name or its file.
    vectors : sequence of Path
        Known answers; without any, those beside the file (``NAME*.kat.txt``).
    begin : function
        Called with what begins now, before each step that runs the file's text.
    found : function
        Called with each verdict as soon as there is one.

    Raises
    ------
    AssayError
        The file cannot be loaded; says where.
    """
    from cipherassay.ciphers import load

    cipher = load(name_or_path)
    file = _as_called(Path(cipher.file))
    checks: list[tuple[str, Callable[[], Iterator[Verdict]]]] = [
        ("reading the file", lambda: _length(file)),
        ("looking for its sources", lambda: _sources(file, cipher)),
        ("compiling", lambda: _compiles(cipher, begin)),
        ("decrypting what it encrypted", lambda: _inverts(cipher)),
        ("checking known answers", lambda: _known_answers(file, cipher, vectors)),
        ("running it again", lambda: _repeats(cipher)),
        ("looking at its tables", lambda: note_tables(cipher)),
        ("comparing its forms", lambda: _same_in_every_form(cipher, begin)),
    ]
    verdicts: list[Verdict] = []
    for step, check in checks:
        begin(step)
        for verdict in check():
            verdicts.append(verdict)
            found(verdict)
        if any(v.state == "fail" and v.what == "compiles" for v in verdicts):
            break  # what comes after needs a program
    return Review(str(file), cipher.name, verdicts)


def _as_called(file: Path) -> Path:
    """Return the file's path as short as it can be said from where the command runs."""
    here = Path.cwd()
    return file.resolve().relative_to(here) if file.resolve().is_relative_to(here) else file


def _length(file: Path) -> Iterator[Verdict]:
    count = len(file.read_text(encoding="utf-8").splitlines())
    fine = count <= MOST_LINES
    text = f"{count} lines" if fine else f"{count} lines, {MOST_LINES} at most"
    yield Verdict("length", "pass" if fine else "fail", text, exit_code=DescriptionError.exit_code)


def _sources(file: Path, cipher: Cipher) -> Iterator[Verdict]:
    code = DescriptionError.exit_code
    stated = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    if not cipher.source or cipher.source not in stated:
        text = f"the file's docstring does not name the source {cipher.source or '(none given)'}"
        yield Verdict("source", "fail", text, [Place(str(file), 1)], code)
    else:
        yield Verdict("source", "pass", f"{cipher.source} is named in the file's docstring")
    without = functions_without_source(file)
    if without:
        text = f"{len(without)} functions cite no section, equation or name of the source"
        yield Verdict("citations", "fail", text, without, code)
    else:
        yield Verdict("citations", "pass", "every function cites its place in the source")


def _choices(cipher: Cipher) -> Iterator[tuple[int, str]]:
    for variant in ("", *cipher.variants):
        for bits in cipher.key_bits:
            yield bits, variant


def _compiles(cipher: Cipher, begin: Callable[[str], None]) -> Iterator[Verdict]:
    try:
        _compile(cipher, "", begin)
    except AssayError as error:
        yield _refused("compiles", error)
        return
    sizes = [f"key sizes {', '.join(map(str, cipher.key_bits))}"] if cipher.keyed else []
    all_of = ", ".join([*sizes, *cipher.variants])
    yield Verdict("compiles", "pass", f"{all_of}{'; ' if all_of else ''}compiled and plain run agree")


def _compile(cipher: Cipher, form: str, begin: Callable[[str], None]) -> None:
    """Compile a form of a cipher for every key size and variant, which compares it with a plain run."""
    for bits, variant in _choices(cipher):
        of_key = f" for a key of {bits} bits" if bits else ""
        begin(f"compiling it{of_key}" + "".join(f", {w}" for w in (variant, form) if w))
        cipher.compile(bits, variant, form)


def _repeats(cipher: Cipher) -> Iterator[Verdict]:
    try:
        check_repeats(cipher)
    except AssayError as error:
        yield _refused("repeats", error)
        return
    yield Verdict("repeats", "pass", "the same when called again and when the file is loaded anew")


def _refused(what: str, error: AssayError) -> Verdict:
    text = "\n".join([error.message, *(f"= {note}" for note in error.notes)])
    text += f"\n= help: {error.help}" if error.help else ""
    return Verdict(what, "fail", text, error.places, error.exit_code)


def _inverts(cipher: Cipher) -> Iterator[Verdict]:
    forward, backward = cipher.shape.forward, cipher.shape.backward
    if not backward:
        return
    what = f"{backward}∘{forward}"
    if backward not in cipher.directions:
        yield Verdict(what, "note", f"the file has no `{backward}`: `{forward}` alone is checked")
        return
    for bits, variant in _choices(cipher):
        difference = _not_inverted(cipher, bits, variant)
        if difference:
            yield Verdict(what, "fail", difference, exit_code=VerificationError.exit_code)
            return
    each = " per key size" if cipher.keyed else ""
    yield Verdict(what, "pass", f"the identity on {BLOCKS} random blocks{each}")


def _not_inverted(cipher: Cipher, bits: int, variant: str) -> str:
    from cipherassay.vectors import EvaluatorBackend

    backend = EvaluatorBackend(cipher, variant)
    drawn = random.Random(f"{cipher.slug} {bits} {variant}")
    key, size = drawn.randbytes(bits // 8), cipher.block_bits // 8
    forward, backward = cipher.directions
    keys = [backend.keys(key, one) for one in (forward, backward)]
    for _ in range(BLOCKS):
        plain, tweak = drawn.randbytes(size), drawn.randbytes(cipher.tweak_bytes)
        coded = backend.run(forward, keys[0], plain + tweak)
        back = backend.run(backward, keys[1], coded + tweak)
        if back != plain:
            given = "".join(f"{one} {data.hex()}: " for one, data in (("key", key), ("tweak", tweak)) if data)
            made = f"{given}`{forward}` makes {plain.hex()} into {coded.hex()}"
            return f"{made}, `{backward}` that into {back.hex()}"
    return ""


def _same_in_every_form(cipher: Cipher, begin: Callable[[str], None]) -> Iterator[Verdict]:
    for form in cipher.forms:
        try:
            _compile(cipher, form, begin)
        except AssayError as error:
            yield _refused("forms", error)
            return
        for bits, variant in _choices(cipher):
            drawn = random.Random(f"{cipher.slug} {form} {bits} {variant}")
            key, block = drawn.randbytes(bits // 8), drawn.randbytes(cipher.input_bits // 8)
            for direction in cipher.directions:
                literal, other = (
                    _one_block(cipher, bits, variant, f, direction, key, block) for f in ("", form)
                )
                if literal != other:
                    text = f"form `{form}`: {direction} gives {other.hex()}, the literal one {literal.hex()}"
                    yield Verdict("forms", "fail", text, exit_code=VerificationError.exit_code)
                    return
    if cipher.forms:
        text = f"{', '.join(cipher.forms)}: compiled and plain run agree, the same as the literal functions"
        yield Verdict("forms", "pass", text)


def _one_block(
    cipher: Cipher, bits: int, variant: str, form: str, direction: str, key: bytes, block: bytes
) -> bytes:
    program = cipher.compile(bits, variant, form)
    schedule = cipher.schedule(direction, variant, form)
    keys = program.evaluate(schedule, [key]) if schedule else []
    return bytes(program.evaluate(direction, [*keys, block])[0])


def _known_answers(file: Path, cipher: Cipher, vectors: Sequence[Path]) -> Iterator[Verdict]:
    from cipherassay.vectors.kept import find_answers, variant_of

    given = [(path, variant_of(path, cipher)) for path in vectors] or find_answers(file, cipher)
    checked = False
    for path, variant in given:
        if verdict := check_answers(path, cipher, variant):
            checked = True
            yield verdict
    if not checked:
        text = f"there are none: put the source's into {file.stem}.kat.txt beside the file, or name a file"
        yield Verdict("known answers", "missing", text)
