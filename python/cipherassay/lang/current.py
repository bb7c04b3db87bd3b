"""What is noted while a function of the author runs."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field

from cipherassay.errors import DescriptionError, Place


@dataclass
class Run:
    """What is noted while a function of the author runs."""

    open_loops: dict[int, tuple[Place, ...]] = field(default_factory=dict)
    """Places of the loops that have begun and not ended, by the identity of their iterator."""
    refused: DescriptionError | None = None
    """The first error of the language, which the author's ``except`` may have caught."""


current_run: ContextVar[Run | None] = ContextVar("run", default=None)
