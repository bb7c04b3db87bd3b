"""Modules found by scanning folders: those of a package, and those that studies bring for it.

A study (`cipherassay.studies`) brings modules for a purpose in a module or a package of the purpose's name:
``studies/NAME/sections/`` has sections of the report, ``studies/NAME/verbs/`` verbs of the command. Nothing
imports a study by name.
"""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from types import ModuleType

PACKAGE = Path(__file__).parent
STUDIES = PACKAGE / "studies"


def names(package: str) -> list[str]:
    """Return the full names of a package's modules, sorted; those with a leading underscore are its own.

    Parameters
    ----------
    package : str
        Its name within this package: ``report.sections``.
    """
    folder = PACKAGE.joinpath(*package.split("."))
    found = sorted(module.name for module in pkgutil.iter_modules([str(folder)]))
    return [f"{__package__}.{package}.{name}" for name in found if not name.startswith("_")]


def of_studies(purpose: str) -> list[str]:
    """Return the full names of the modules that studies bring for a purpose, by study and module.

    Parameters
    ----------
    purpose : str
        The name of a study's module or package; of a package it is its modules.
    """
    found: list[str] = []
    for study in sorted(path.parent for path in STUDIES.glob("*/__init__.py")):
        if (study / purpose / "__init__.py").is_file():
            found += names(f"studies.{study.name}.{purpose}")
        elif (study / f"{purpose}.py").is_file():
            found.append(f"{__package__}.studies.{study.name}.{purpose}")
    return found


def of_parts(name: str) -> list[str]:
    """Return the full names of the modules of a name in the parts of this package and in studies."""
    parts = sorted(path.parent.name for path in PACKAGE.glob(f"*/{name}.py"))
    return [*(f"{__package__}.{part}.{name}" for part in parts), *of_studies(name)]


def modules(package: str, purpose: str) -> list[ModuleType]:
    """Return the modules of a package and those that studies bring for a purpose, imported."""
    return [importlib.import_module(name) for name in (*names(package), *of_studies(purpose))]


def brought(purpose: str) -> list[ModuleType]:
    """Return the modules that studies bring for a purpose, imported."""
    return [importlib.import_module(name) for name in of_studies(purpose)]
