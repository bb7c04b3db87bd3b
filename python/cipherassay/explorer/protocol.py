"""What the page may ask for: requests as JSON, checked before anything is done with them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cipherassay.errors import UsageError

MOST_TEXT = 256 * 1024
"""Bytes of a description: the longest of the project's have a tenth of that."""
MOST_BODY = MOST_TEXT * 2 + 64 * 1024
"""Bytes of a request: quotes and line ends take two as JSON."""
MOST_NAMES = 64
"""Panels, or targets, of one request."""
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
_STEM = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


@dataclass(frozen=True)
class RunRequest:
    """What of a description is to be shown.

    Parameters
    ----------
    tab : str
        The page that asks: a newer request of it ends what the older ones of the same panels still do.
    stem : str
        The description's file name without its ending.
    text : str
        The description.
    origin : str
        The document that it began as, whose known answers it is checked against; empty: none.
    panels, targets : sequence of str
        What is to be made.
    options : mapping
        Values of options by name: ``key_bits``, ``operation``, ``PANEL.OPTION``.
    """

    tab: str
    stem: str
    text: str
    origin: str
    panels: Sequence[str]
    targets: Sequence[str]
    options: Mapping[str, str]


def read(body: bytes) -> RunRequest:
    """Return the request that a body holds.

    Raises
    ------
    UsageError
        ``W001``: it is no request; ``W002``: the description is too long.
    """
    try:
        given = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise refused(f"the body is not JSON: {error}") from None
    if not isinstance(given, dict):
        raise refused("the body is no object")
    text = _text(given, "text")
    if len(text.encode("utf-8", "surrogatepass")) > MOST_TEXT:
        raise too_long()
    return RunRequest(
        tab=_matching(given, "tab", _NAME),
        stem=_matching(given, "stem", _STEM),
        text=text,
        origin=_matching(given, "origin", _NAME) if given.get("origin") else "",
        panels=_names(given, "panels"),
        targets=_names(given, "targets"),
        options=_options(given),
    )


def too_long() -> UsageError:
    """Return the error for a description that is too long."""
    return UsageError(
        "W002",
        f"the description has more than {MOST_TEXT // 1024} KiB",
        help="`assay check FILE` takes longer ones",
    )


def refused(why: str) -> UsageError:
    """Return the error for what is no request."""
    return UsageError("W001", f"the request cannot be read: {why}", help="reload the page")


def _text(given: Mapping[str, Any], field: str) -> str:
    value = given.get(field, "")
    if not isinstance(value, str):
        raise refused(f"`{field}` is no text")
    return value


def _matching(given: Mapping[str, Any], field: str, form: re.Pattern[str]) -> str:
    value = _text(given, field)
    if not form.fullmatch(value):
        raise refused(f"`{field}` is no name")
    return value


def _names(given: Mapping[str, Any], field: str) -> tuple[str, ...]:
    value = given.get(field, [])
    if not isinstance(value, list) or len(value) > MOST_NAMES:
        raise refused(f"`{field}` is no list of at most {MOST_NAMES} names")
    if not all(isinstance(one, str) and _NAME.fullmatch(one) for one in value):
        raise refused(f"`{field}` has what is no name")
    return tuple(dict.fromkeys(value))


def _options(given: Mapping[str, Any]) -> dict[str, str]:
    value = given.get("options", {})
    if not isinstance(value, dict) or len(value) > MOST_NAMES:
        raise refused(f"`options` is no object of at most {MOST_NAMES} values")
    fits = (_NAME.fullmatch(name) and isinstance(one, str) and len(one) <= 64 for name, one in value.items())
    if not all(fits):
        raise refused("`options` has what is no name or no text")
    return dict(value)
