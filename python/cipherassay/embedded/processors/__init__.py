"""Small processors that there is code for: each folder here is one, found by its name.

What a folder has:

* the package itself: ``PROCESSOR``, a `cipherassay.embedded.processor.Processor`;
* ``processor.toml``: clock, memory and registers, with their sources;
* ``files``: ``files(made, command)``, names and texts of what a firmware engineer gets;
* ``budget``, if there is code within budgets of RAM: ``BUDGETS``, a
  `cipherassay.embedded.budget.offer.Budgets`;
* ``budget_files``: ``files(made, command)`` for such code.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cipherassay.embedded.budget.choose import BudgetResult
    from cipherassay.embedded.budget.offer import Budgets
    from cipherassay.embedded.build import AssembledCipher
    from cipherassay.embedded.processor import Processor

FOLDER = Path(__file__).parent


def names() -> list[str]:
    """Return the processors' names, without importing anything."""
    return sorted(file.parent.name.replace("_", "-") for file in FOLDER.glob("*/__init__.py"))


def load(name: str) -> Processor:
    """Return one of `names`: the object ``PROCESSOR`` of its package."""
    processor: Processor = import_module(module(name)).PROCESSOR
    return processor


def module(name: str) -> str:
    """Return the full name of the package of a processor."""
    return f"{__name__}.{folder(name).name}"


def folder(name: str) -> Path:
    """Return the folder of a processor."""
    return FOLDER / name.replace("-", "_")


def budgets(name: str) -> Budgets | None:
    """Return a processor's part in code within a budget of RAM, None if there is no such code for it."""
    if not (folder(name) / "budget.py").is_file():
        return None
    found: Budgets = import_module(f"{module(name)}.budget").BUDGETS
    return found


def firmware(made: AssembledCipher, command: str) -> list[tuple[str, str]]:
    """Return names and texts of what a firmware engineer gets; ``command`` makes them again."""
    return _files(made.processor, "files", made, command)


def firmware_within_budget(made: BudgetResult, command: str) -> list[tuple[str, str]]:
    """Return names and texts of what a firmware engineer gets of code within a budget of RAM."""
    return _files(made.processor, "budget_files", made, command)


def _files(
    processor: Processor, part: str, made: AssembledCipher | BudgetResult, command: str
) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = import_module(f"{module(processor.name)}.{part}").files(made, command)
    return found
