"""What shells complete: names of ciphers, processors and strategies, read from file names alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from cipherassay.scanning import PACKAGE, STUDIES

Complete = Callable[[str], list[str]]


def _stems(*folders: Path, pattern: str = "*.toml") -> list[str]:
    found = {path.stem for folder in folders for path in folder.glob(pattern)}
    return sorted(name for name in found if not name.startswith("_") and name != "of_papers")


def _beginning(names: Iterable[str], begin: str) -> list[str]:
    return [name for name in names if name.startswith(begin)]


def _files(begin: str) -> list[str]:
    """Return the Python files and folders whose paths begin so: descriptions of the user."""
    folder = Path(begin).parent if not begin.endswith("/") else Path(begin)
    try:
        found = [path for path in folder.iterdir() if path.suffix == ".py" or path.is_dir()]
    except OSError:
        return []
    shown = [f"{path}/" if path.is_dir() else str(path) for path in found if not path.name.startswith(".")]
    dotted = [f"./{one}" for one in shown] if begin.startswith("./") else shown
    return _beginning(sorted(dotted), begin)


def ciphers(begin: str) -> list[str]:
    """Return the ciphers whose names begin so, and files of the user."""
    known = _beginning(_stems(PACKAGE / "ciphers", pattern="*.py"), begin)
    return [*known, *(_files(begin) if begin else [])]


def processors(begin: str) -> list[str]:
    """Return the modelled processors whose names begin so."""
    small = [path.parent.name for path in (PACKAGE / "embedded" / "processors").glob("*/processor.toml")]
    x86 = [name for name in _stems(PACKAGE / "x86") if name != "instructions"]
    every = [*_stems(PACKAGE / "processors"), *x86, *(name.replace("_", "-") for name in small)]
    return _beginning(sorted(every), begin)


def measured(begin: str) -> list[str]:
    """Return what `assay measure` takes as a processor: those, this machine, Java."""
    return [*_beginning(("java-interpreted", "java-jit", "native"), begin), *processors(begin)]


def strategies(begin: str) -> list[str]:
    """Return the strategies whose names begin so."""
    return _beginning(_stems(PACKAGE / "strategies", *STUDIES.glob("*/strategies")), begin)


def of_hardware(begin: str) -> list[str]:
    """Return the strategies of hardware whose names begin so."""
    return _beginning(_stems(PACKAGE / "hardware" / "rtl" / "strategies"), begin)


def targets(begin: str) -> list[str]:
    """Return the targets of circuits whose names begin so."""
    return _beginning(_stems(PACKAGE / "circuits" / "targets"), begin)


def technologies(begin: str) -> list[str]:
    """Return the technologies whose names begin so."""
    return _beginning(_stems(PACKAGE / "technologies"), begin)


def papers(begin: str) -> list[str]:
    """Return the published papers whose names begin so."""
    folder = PACKAGE / "published"
    cited = [path.parent.name for path in folder.glob("*/*.toml")]
    return _beginning(sorted({*_stems(folder), *cited}), begin)


def named(begin: str) -> list[str]:
    """Return everything that `assay show` and `assay check` take whose name begins so."""
    return [*ciphers(begin), *processors(begin), *papers(begin), *technologies(begin)]


LISTS = ("ciphers", "strategies", "published", "processors", "technologies")
OPERATIONS = (
    "encrypt", "decrypt", "key_setup_both", "key_setup_encrypt", "key_setup_decrypt", "permute", "inverse",
)  # fmt: skip
_BY_NAME: dict[str, Complete] = {
    "cipher": ciphers, "ciphers": ciphers, "designs": ciphers, "target": targets, "processor": processors,
    "strategy": strategies, "technology": technologies,
    "operation": lambda begin: _beginning(OPERATIONS, begin),
}  # fmt: skip
_BY_VERB: dict[tuple[str, str], Complete] = {
    ("measure", "processor"): measured,
    ("show", "name"): named,
    ("check", "names"): named,
    ("list", "kind"): lambda begin: _beginning(LISTS, begin),
    ("liberty", "name"): technologies,
    ("simulate", "target"): ciphers,
    ("linear", "what"): ciphers,
    ("rtl", "strategy"): of_hardware,
    ("synthesize", "strategy"): of_hardware,
}
ENVIRONMENT = "_ASSAY_COMPLETE"
"""Set by the shells' scripts when they ask for completions."""


def asked() -> str | None:
    """Return the verb whose arguments a shell wants completed, "" for all; None if none asks."""
    if ENVIRONMENT not in os.environ:
        return None
    typed = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS") or ""
    words = typed.replace("\n", " ").split(" ")
    return words[1] if len(words) > 2 else ""


def attach(command: Any) -> None:
    """Let every parameter of a command's verbs complete what it takes, by its name."""
    for name, verb in getattr(command, "commands", {}).items():
        attach(verb)
        for parameter in getattr(verb, "params", ()):
            complete = _BY_VERB.get((name, parameter.name)) or _BY_NAME.get(parameter.name)
            if complete is not None:
                parameter.shell_complete = _items(complete)


def _items(complete: Complete) -> Callable[[Any, str], list[Any]]:
    from typer._click.shell_completion import CompletionItem

    return lambda context, incomplete: [CompletionItem(one) for one in complete(incomplete)]
