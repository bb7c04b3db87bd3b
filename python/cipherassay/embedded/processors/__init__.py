"""Small processors that there is code for: each module of this folder is one."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cipherassay.embedded.processor import Processor


def names() -> list[str]:
    """Return the processors' names, without importing anything."""
    found = (p for p in Path(__file__).parent.iterdir() if p.suffix == ".py" or (p / "__init__.py").is_file())
    return sorted(p.stem.replace("_", "-") for p in found if not p.stem.startswith("_"))


def load(name: str) -> Processor:
    """Return one of `names`: the object ``PROCESSOR`` of its module."""
    processor: Processor = import_module(module(name)).PROCESSOR
    return processor


def module(name: str) -> str:
    """Return the full name of the module of a processor."""
    return f"{__name__}.{name.replace('-', '_')}"
