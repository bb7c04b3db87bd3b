"""What is done around every verb: its options are checked before, and while it works it says so."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cipherassay.console.progress import ticking
from cipherassay.errors import UsageError

MOST = 1 << 62
"""Whole numbers of options lie below: the engine has words of 64 bits."""
LONGEST = 255
"""Bytes of a file's name."""


def check_values(command: Any, before: str = "") -> None:
    """Let every verb of a command refuse numbers that nothing can be done with: below zero, no number, huge.

    Raises (when a verb runs)
    -------------------------
    UsageError
        ``U004``: the option, what it is, and what it can be; ``U008``, ``U009``: a text that can be no name.
    """
    for name, verb in getattr(command, "commands", {}).items():
        check_values(verb, f"{before} {name}".strip())
    if getattr(command, "callback", None) is not None and not hasattr(command, "commands"):
        known = {one.name: one for one in command.params}
        command.callback = _checked(before, command.callback, known)


def _checked(name: str, verb: Callable[..., Any], parameters: dict[str, Any]) -> Callable[..., Any]:
    @functools.wraps(verb)
    def checked(**values: Any) -> Any:
        for parameter, value in values.items():
            for one in value if isinstance(value, (list, tuple)) else [value]:
                option = max(parameters[parameter].opts, key=len)
                if isinstance(one, (int, float)):
                    _check_number(option, one)
                elif isinstance(one, (str, Path)):
                    _check_text(option, str(one))
        with ticking(name, quiet=bool(values.get("json") or values.get("quiet"))):
            return verb(**values)

    return checked


def _check_number(option: str, value: float) -> None:
    if isinstance(value, int) and not 0 <= value < MOST:
        expected = f"a whole number from 0 to {MOST - 1}"
    elif not 0 <= value < math.inf:  # which `nan` is not, either
        expected = "a number of 0 or more"
    else:
        return
    shown = str(value)
    shown = shown if len(shown) <= 40 else shown[:40] + " …"
    raise UsageError("U004", f"`{option}` cannot be {shown}", help=f"{option} takes {expected}")


def _check_text(option: str, text: str) -> None:
    """Refuse what can be no name of a file; what has spaces may be another text, such as a query."""
    if "\0" in text:
        raise UsageError("U008", f"`{option}` holds a null character")
    if " " not in text and any(len(os.fsencode(part)) > LONGEST for part in text.split("/")):
        raise UsageError("U009", f"`{option}` holds a name of more than {LONGEST} bytes: `{text[:40]}…`")
