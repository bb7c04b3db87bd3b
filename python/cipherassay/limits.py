"""How much a user's cipher file may take: time, memory, operations."""

from __future__ import annotations

import json
import math
import os
from dataclasses import asdict, dataclass

from cipherassay.errors import UsageError

_STATE = "ASSAY_LIMITS"
"""The variable of the environment that tells other processes of the same command."""


@dataclass(frozen=True)
class Limits:
    """What a user's cipher file may take, each time that its text or one of its functions runs.

    Parameters
    ----------
    seconds : float
        Processor time.
    memory : float
        GiB more than before.
    operations : int
        Operations that are recorded for one key size.
    command : str
        The command whose options raise them.
    """

    seconds: float = 10.0
    memory: float = 1.0
    operations: int = 100_000
    command: str = "assay"

    def checked(self) -> Limits:
        """Return the same limits; raises UsageError ``U019`` for one that is no positive number."""
        named = {"--seconds": self.seconds, "--memory": self.memory, "--operations": self.operations}
        for option, value in named.items():
            if not (math.isfinite(value) and value > 0):
                raise UsageError("U019", f"{option} {value:g} is no limit", help="give a number above zero")
        return self

    @property
    def longer(self) -> str:
        """What to do about a text that does not end in time."""
        return self.hint("--seconds N", "waits longer", "a loop that waits for a condition may never end")

    def hint(self, option: str, does: str, more: str) -> str:
        """Say which option raises a limit, and what else to look at."""
        verb = "" if " " in self.command else " …"
        return f"`{self.command} {option}{verb}` {does}; {more}"


def limits() -> Limits:
    """Return the limits of this process."""
    text = os.environ.get(_STATE)
    return Limits(**json.loads(text)) if text else Limits()


def limit(found: Limits) -> None:
    """Set the limits of this process and of those that it starts."""
    if found == Limits():
        os.environ.pop(_STATE, None)
    else:
        os.environ[_STATE] = json.dumps(asdict(found))
