"""The whole text of an error, to be compared to the letter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cipherassay.errors import AssayError


def refusal(kind: type[AssayError], call: Callable[..., Any], *arguments: Any, **named: Any) -> str:
    """Return the text of the error of that class, no other, that a call raises."""
    with pytest.raises(AssayError) as raised:
        call(*arguments, **named)
    assert type(raised.value) is kind
    return str(raised.value)
