"""A cipher's device synthesized now, as rows in the form of the kept ones."""

from __future__ import annotations

from collections.abc import Sequence

from cipherassay.ciphers import Cipher, argument, of_package
from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.results import documents, stored
from cipherassay.hardware.results import rows as making
from cipherassay.hardware.synthesis import exploring, recipes
from cipherassay.jobs import SILENT, Executor, Progress
from cipherassay.results import Row


def rows(
    cipher: Cipher,
    technology: Technology,
    executor: Executor,
    *,
    architecture: str = "iterative",
    key: str = "",
    strategies: Sequence[str] = ("on-the-fly",),
    points: int = 3,
    most: int = 8,
    repair: bool = True,
    brief: bool = False,
    watch: Progress = SILENT,
) -> list[Row]:
    """Return the rows of a cipher's device with both directions; configurations say how many recipes.

    Parameters
    ----------
    strategies : sequence of str
        As of `exploring.explore`.
    points, most : int
        Recipes tried for each function, whole designs timed at most.
    repair : bool
        As of `synthesis.synthesize`.
    brief : bool
        The recipe that takes least time instead of ``points``; fewer vectors show the clock counts.

    Raises
    ------
    AssayError
        Whatever `exploring.explore` raises.
    """
    names = recipes.BRIEF if brief else tuple(one.name for one in recipes.of_points(points))
    found = exploring.explore(
        cipher, technology, executor, architecture=architecture, key=key, strategies=strategies,
        settings=exploring.Settings(names=names, most=most, repair=repair, brief=brief), watch=watch,
    )  # fmt: skip
    document = documents.of(found)
    named = document if of_package(cipher) else {**document, "cipher": cipher.file}
    command = f"{stored.recompute(named).removesuffix(' --keep')} --points {points} --designs {most}"
    command += "" if repair else " --no-repair"
    if brief:
        command = f"assay coverage {argument(cipher)} --level synthesis --quick"
    note = f"{len(names)} recipes" if repair else f"{len(names)} recipes, not repaired"
    return list(making.device_rows(document, command=command, note=note))
