"""What a processor has by the value of a parameter, and would not with another: instructions to do without.

Selection takes what costs less at its place, which may make the whole longer. So that a processor with more
instructions never gets a slower kernel, the best kernel is also made without those.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from cipherassay._engine import Processor
from cipherassay.errors import AssayError
from cipherassay.processors import document, load


def additions(processor: Processor) -> tuple[tuple[str, ...], ...]:
    """Return groups of instructions: each what the processor lacks with another value of one parameter.

    None for a processor of a user's folder, whose other models are not known here.
    """
    return _additions(processor.name, processor.json())


@lru_cache(maxsize=32)
def _additions(name: str, text: str) -> tuple[tuple[str, ...], ...]:
    own = json.loads(text)
    settings = {one["name"]: one["value"] for one in own["parameters"]}
    names, groups = _instructions(own), set()
    for parameter in own["parameters"]:
        for value in parameter["values"]:
            try:
                other = load(name, parameters={**settings, parameter["name"]: value})
            except AssayError:  # settings that exclude each other
                continue
            less = _instructions(document(other))
            if less < names:
                groups.add(tuple(sorted(names - less)))
    return tuple(sorted(groups))


def _instructions(known: Mapping[str, Any]) -> set[str]:
    return {one["name"] for one in known["isa"]["instructions"]}
