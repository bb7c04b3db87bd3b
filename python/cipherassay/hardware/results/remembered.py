"""Documents of devices, kept whole: what was synthesized before is there at once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.results import design_hashes, documents
from cipherassay.hardware.results.documents import Document
from cipherassay.hardware.synthesis import exploring
from cipherassay.hardware.synthesis.exploring import Settings
from cipherassay.hardware.synthesis.jobs import Library
from cipherassay.hardware.tools import cached
from cipherassay.jobs import SILENT, Executor, Producer, Progress

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher

_DOCUMENT = Producer(
    "document", 1, ("cipherassay.hardware.synthesis.exploring", "cipherassay.hardware.results.documents")
)


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
    watch: Progress = SILENT,
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
    name = cached.key(
        **_DOCUMENT.inputs(), names=[cipher.slug, cipher.name],
        verilog=design_hashes.distinct(*device),
        library=[cached.digest(repr(technology)), library.digest, library.yosys, library.timer],
        settings=[settings.names, settings.splits, settings.most, settings.repair],
    )  # fmt: skip

    def make() -> str:
        devices = exploring.distinct(*device)
        return json.dumps(documents.of(exploring.explored(devices, technology, executor, settings, watch)))

    known: dict[str, Any] = json.loads(cached.CACHE.made(name, make))
    return known
