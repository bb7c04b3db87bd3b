"""Documents of devices, kept whole: what was synthesized before is there at once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.hardware import design_hashes, documents, exploring, kept
from cipherassay.hardware.documents import Document
from cipherassay.hardware.executors import SILENT, Executor, Watch
from cipherassay.hardware.exploring import Settings
from cipherassay.hardware.jobs import Library
from cipherassay.hardware.technology import Technology

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher


def document(
    cipher: Cipher,
    technology: Technology,
    executor: Executor,
    *,
    architecture: str,
    key: str,
    direction: str,
    strategies: Sequence[str],
    variant: str,
    settings: Settings,
    watch: Watch = SILENT,
) -> Document:
    """Return a device's document, from the cache if the same code synthesized the same Verilog.

    Parameters are those of `exploring.explore`.

    Raises
    ------
    AssayError
        Whatever `exploring.explore` raises.
    """
    device = (cipher, architecture, key, direction, strategies, variant)
    library = Library.of(technology)
    name = kept.key(
        kind="document", code=_code(), names=[cipher.slug, cipher.name],
        verilog=design_hashes.distinct(*device),
        library=[kept.digest(repr(technology)), library.digest, library.yosys, library.timer],
        settings=[settings.names, settings.splits, settings.most, settings.repair],
    )  # fmt: skip
    found = kept.find(name)
    if found is not None:
        known: dict[str, Any] = json.loads(found)
        return known
    devices = exploring.distinct(*device)
    made = documents.of(exploring.explored(devices, technology, executor, settings, watch))
    kept.put(name, json.dumps(made))
    return made


@cache
def _code() -> str:
    """Return the hash of the code that synthesizes."""
    folder = Path(__file__).parent
    files = sorted(folder.rglob("*.py"))
    return kept.digest("".join(f"{one.relative_to(folder)}\n{one.read_text('utf-8')}" for one in files))
