"""Documents of devices, kept whole: what was synthesized before is there at once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cipherassay.hardware import design_hashes, documents, exploring, kept
from cipherassay.hardware.documents import Document
from cipherassay.hardware.exploring import Settings
from cipherassay.hardware.jobs import Library
from cipherassay.hardware.technology import Technology
from cipherassay.jobs import SILENT, Executor, Producer, Progress

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher

_DOCUMENT = Producer("document", 1, ("cipherassay.hardware.exploring", "cipherassay.hardware.documents"))


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
    name = kept.key(
        **_DOCUMENT.inputs(), names=[cipher.slug, cipher.name],
        verilog=design_hashes.distinct(*device),
        library=[kept.digest(repr(technology)), library.digest, library.yosys, library.timer],
        settings=[settings.names, settings.splits, settings.most, settings.repair],
    )  # fmt: skip

    def make() -> str:
        devices = exploring.distinct(*device)
        return json.dumps(documents.of(exploring.explored(devices, technology, executor, settings, watch)))

    known: dict[str, Any] = json.loads(kept.CACHE.made(name, make))
    return known
