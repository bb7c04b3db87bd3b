"""`assay circuit emit`: circuits as code and hardware."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cipherassay.console.options import writable_folder
from cipherassay.console.output import Json, write_files
from cipherassay.console.progress import say
from cipherassay.errors import UsageError, nearest

if TYPE_CHECKING:
    from cipherassay.circuits.boxes import Box
    from cipherassay.circuits.emitting import Proof
    from cipherassay.circuits.targets import Target

TARGETS = {
    "c": "and-complement",
    "c-avx2": "and-complement",
    "c-avx512": "ternary",
    "verilog": "two-input",
    "vhdl": "two-input",
    "program": "and-complement",
    "ia64": "ia64",
    "pa-risc": "two-alu",
}
"""The target whose best circuit is written where none is asked for."""


def emit(
    what: Annotated[
        str, typer.Argument(metavar="FILE|SBOX", help="A circuit's file, or a box of the library.")
    ],
    language: Annotated[
        str, typer.Option("--language", "-l", help="`c,verilog`; `assay circuit list languages`.")
    ] = "c",
    target: Annotated[str, typer.Option(help="Whose best circuit; else what suits the language.")] = "",
    objective: Annotated[str, typer.Option(help="The first metric of its objective.")] = "",
    folder: Annotated[
        Path, typer.Option("-o", "--output", callback=writable_folder, metavar="DIR", help="Where to write.")
    ] = Path(),
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="A choice of the language: `word=32`.")
    ] = None,
    check: Annotated[bool, typer.Option(help="Run what was written on every input.")] = True,
    json: Json = False,
) -> None:
    """Write a circuit in other languages, each text run on every input."""
    from cipherassay.circuits import boxes, emitting, readme, targets

    languages = languages_of(language)
    path = Path(what)
    texts = {}
    for name in languages:
        if path.is_file() and _is_circuit(path):
            texts[name] = path.read_text(encoding="utf-8")
            box, machine = _box_of(texts[name], what), targets.find(target) if target else None
        else:
            box = boxes.find(what)
            machine = targets.find(target or TARGETS.get(name, "and-complement"))
            texts[name] = _best(box, machine, objective)
    choices = _choices(option or [], languages)
    written, proofs = [], []
    for name, text in texts.items():
        made = emitting.emit(text, name, name=box.name, target=machine, file=what, **choices[name])
        if check:
            proofs.append(emitting.check(made, name, box))
        written.append((name, file_name(box, name), made))
    files = [(file, text) for _, file, text in written]
    files += readme.files(box, written, _command(what, languages, target, objective, option or []))
    checked = [{"language": p.language, "tools": p.tools, "skipped": p.skipped} for p in proofs]
    write_files(folder, files, {"box": box.name, "checked": checked}, json=json)
    if not json:
        tell(proofs)


def _command(what: str, languages: Sequence[str], target: str, objective: str, options: Sequence[str]) -> str:
    """Return the command that writes the files again."""
    words = ["assay", "circuit", "emit", what, "--language", ",".join(languages)]
    words += ["--target", target] if target else []
    words += ["--objective", objective] if objective else []
    words += [word for option in options for word in ("--option", option)]
    return shlex.join([*words, "-o", "DIR"])


def tell(proofs: list[Proof]) -> None:
    """Say how what was written was checked."""
    for proof in proofs:
        say(str(proof))


def languages_of(text: str) -> list[str]:
    """Return the languages of a list ``c,verilog``; raises ``C401`` for one that is not known."""
    from cipherassay.circuits import emitting

    asked = list(dict.fromkeys(word for word in text.replace(",", " ").split() if word))
    known = emitting.languages()
    for name in asked:
        if name not in known:
            raise UsageError("C401", f"circuits are not written in `{name}`", help=nearest(name, known))
    return asked


def written_as(
    text: str, box: Box, target: Target, languages: list[str], command: str
) -> tuple[list[tuple[str, str]], list[Proof]]:
    """Return file names and texts of a circuit in several languages, each checked on every input.

    A test of portable C and a README, which names the `command` that writes the files, are among them.
    """
    from cipherassay.circuits import emitting, readme

    written, proofs = [], []
    for language in languages:
        code = emitting.emit(text, language, name=box.name, target=target)
        proofs.append(emitting.check(code, language, box))
        written.append((language, file_name(box, language), code))
    return [*((file, code) for _, file, code in written), *readme.files(box, written, command)], proofs


def file_name(box: Box, language: str) -> str:
    """Return ``CIPHER_S3.c``, ``CIPHER_S3_avx512.c``: the language is in it where it shares its ending."""
    from cipherassay.circuits import emitting

    known = emitting.languages()
    suffix = known[language].suffix
    alone = language == suffix or sum(one.suffix == suffix for one in known.values()) == 1
    rest = "" if alone else "_" + language.removeprefix(f"{suffix}-").replace("-", "_")
    return f"{emitting.identifier(box.name)}{rest}.{suffix}"


def _is_circuit(path: Path) -> bool:
    """Whether a file holds a circuit: a truth table has no equation in it."""
    try:
        return "=" in path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return False


def _box_of(text: str, file: str) -> Box:
    """Return the box that a circuit's text computes: its own values, for the check."""
    from cipherassay.circuits import boxes, engine
    from cipherassay.circuits.evaluate import values

    found = engine.read(text, file=file)
    if len(found) != 1:
        message = f"{file} holds {len(found)} circuits where one is expected"
        raise UsageError("C404", message, help="write each into a file of its own")
    circuit = found[0]["circuit"]
    return boxes.Box(found[0]["name"], len(circuit["outputs"]), values(circuit))


def _best(box: Box, target: Target, objective: str) -> str:
    from cipherassay.circuits import library

    if box.family == "own":
        raise UsageError(
            "C506",
            "the library keeps only boxes that have a name",
            help=f"assay circuit search {box.name} --target {target.name} --emit c,verilog",
        )
    return library.best(box, target, objective).text


def _choices(options: list[str], languages: list[str]) -> dict[str, dict[str, str]]:
    """Return the options of each language: each goes to those that know it."""
    from cipherassay.circuits import emitting

    known = emitting.languages()
    found: dict[str, dict[str, str]] = {name: {} for name in languages}
    for option in options:
        name, equals, value = option.partition("=")
        takers = [one for one in languages if name in {choice.name for choice in known[one].choices}]
        if not equals or not takers:
            every = sorted({choice.name for one in languages for choice in known[one].choices})
            raise UsageError("C405", f"there is no option `{option}` here", help=nearest(name, every))
        for one in takers:
            found[one][name] = value
    return found
