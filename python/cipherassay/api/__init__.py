"""The library: what ``import cipherassay as ca`` gives, loaded when it is first used.

`load` and `cipher` give a `Cipher`, whose methods do what the verbs of the command do; `rows` and `sql` give
the numbers that are known, as `Rows`. docs/python.md shows all of it.
"""

from __future__ import annotations

from cipherassay.api.ciphers import Cipher, list_ciphers, load
from cipherassay.api.descriptions import cipher
from cipherassay.api.emitted import EmittedFiles
from cipherassay.api.programs import Program
from cipherassay.api.schedules import Schedule, list_processors
from cipherassay.api.tables import Rows, rows, sql
from cipherassay.api.verdicts import Verdicts

__all__ = [
    "Cipher", "EmittedFiles", "Program", "Rows", "Schedule", "Verdicts", "cipher", "list_ciphers",
    "list_processors", "load", "rows", "sql",
]  # fmt: skip
