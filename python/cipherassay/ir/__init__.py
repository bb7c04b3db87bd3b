"""The program as data: what `docs/program.md` says, typed and read-only.

`cipherassay._engine.Program.mirror` gives the whole program in one call; nothing in Python reads the text
form. A rewriting makes new objects (`dataclasses.replace`) and hands them to the engine by `engine_program`,
which has them parsed and verified like any other program.
"""

from cipherassay.ir.structure import (
    ADDRESSED,
    Affine,
    Body,
    Box,
    Function,
    Loop,
    Matrix,
    Operation,
    Program,
    Table,
    walk,
)
from cipherassay.ir.text import affine_text, engine_program, written
from cipherassay.ir.values import INDEX, Operand, Place, Type, Value

__all__ = [
    "ADDRESSED",
    "INDEX",
    "Affine",
    "Body",
    "Box",
    "Function",
    "Loop",
    "Matrix",
    "Operand",
    "Operation",
    "Place",
    "Program",
    "Table",
    "Type",
    "Value",
    "affine_text",
    "engine_program",
    "walk",
    "written",
]
