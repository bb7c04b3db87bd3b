"""`assay study layout --java`: every layout as a class, compared with its layer and timed."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.ciphers import argument
from cipherassay.console.output import write_file
from cipherassay.console.progress import progress

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher
    from cipherassay.layouts import Layer, Layout
    from cipherassay.layouts.java_timing import Time, Timer
    from cipherassay.results import Row


def in_java(
    layer: Layer,
    layouts: Sequence[Layout],
    names: Sequence[str],
    cipher: Cipher,
    folder: Path | None,
    *,
    quiet: bool,
) -> tuple[list[Time], list[Row], list[str]]:
    """Return each layout's time, their rows, which the store keeps, and the classes written into a folder.

    Raises
    ------
    ToolError
        ``T002``: there is no JDK; ``J002``: it fails.
    VerificationError
        ``L401``: a class gives another result.
    """
    from cipherassay.layouts.java_timing import build, time_rows
    from cipherassay.native.session import session
    from cipherassay.results import Store

    with (
        progress("Java", 2, quiet=quiet) as bar,
        tempfile.TemporaryDirectory(prefix="assay-layouts-") as work,
    ):
        timer = build(layer, layouts, names, Path(work))
        bar.advance(1, "compiled and compared")
        with session(accept_unstable=True) as steady:
            times = timer.measure()
            bits = layouts[0].word_bits
            command = f"assay study layout {argument(cipher)} --word-size {bits} --java"
            rows = time_rows(layer, layouts, times, cipher.name, command, steady)
        bar.advance(1, "timed")
    Store().put(f"native/layouts-java/{cipher.slug}-{layer.name}-{bits}", _inputs(timer, rows), rows)
    return times, rows, _written(timer, folder) if folder is not None else []


def _written(timer: Timer, folder: Path) -> list[str]:
    """Write the classes into a folder and return their paths."""
    paths = [folder / f"{made.name}.java" for made in timer.classes]
    for path, made in zip(paths, timer.classes, strict=True):
        write_file(path, made.text)
    return [str(path) for path in paths]


def _inputs(timer: Timer, rows: Sequence[Row]) -> dict[str, object]:
    """Return what the times depend on."""
    texts = "".join(made.text for made in timer.classes)
    digest = hashlib.sha256(texts.encode()).hexdigest()
    return {"classes": digest, "tools": rows[0].tools, "machine": rows[0].target}
