"""Known answers: reading them in two layouts, checking them against back ends, generating them by NIST's rules."""

from cipherassay.vectors.backend import Backend, EvaluatorBackend, PythonBackend
from cipherassay.vectors.checking import Failure, Outcome, check_file
from cipherassay.vectors.reading import read_vectors
from cipherassay.vectors.records import Record, VectorFile

__all__ = [
    "Backend",
    "EvaluatorBackend",
    "Failure",
    "Outcome",
    "PythonBackend",
    "Record",
    "VectorFile",
    "check_file",
    "read_vectors",
]
