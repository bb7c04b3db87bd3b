"""Coverage: which primitive is made at which level, with the number or the reason why there is none.

A module of `cipherassay.coverage.producers` brings the levels of one producer; nothing lists them.
"""

from cipherassay.coverage.level import BOUND, MISSING, NUMBER, Cell, Level, levels
from cipherassay.coverage.making import cells

__all__ = ["BOUND", "MISSING", "NUMBER", "Cell", "Level", "cells", "levels"]
