"""Choosing the back end that a file is checked with."""

from __future__ import annotations

from typing import Literal

from cipherassay.ciphers import Cipher
from cipherassay.errors import UsageError, nearest
from cipherassay.vectors.backend import Backend, EvaluatorBackend, PythonBackend
from cipherassay.vectors.records import VectorFile

BackendName = Literal["evaluator", "c", "python"]
BACKENDS: tuple[BackendName, ...] = ("evaluator", "c", "python")


def backend_name(asked: str, file: VectorFile) -> BackendName:
    """Return the asked name, or by default the evaluator, and C where the file has Monte Carlo records.

    Raises
    ------
    UsageError
        ``K013``: there is no such back end.
    """
    for name in BACKENDS:
        if asked == name:
            return name
    if asked:
        raise UsageError("K013", f"there is no back end `{asked}`", help=nearest(asked, BACKENDS))
    return "c" if file.counts["MCT"] else "evaluator"


def make_backend(name: BackendName, cipher: Cipher, variant: str = "", strategy: str = "") -> Backend:
    """Make a back end; the C one is compiled here, once.

    Raises
    ------
    ToolError
        There is no C compiler, or it fails.
    """
    if name == "evaluator":
        return EvaluatorBackend(cipher, variant)
    if name == "python":
        return PythonBackend(cipher, variant)
    from cipherassay.native.backend import CBackend

    backend: Backend = CBackend(cipher, strategy=strategy, variant=variant)
    return backend
