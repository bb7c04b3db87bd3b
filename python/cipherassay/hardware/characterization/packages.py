"""Wheels of PyPI whose files a characterization reads: fetched by pip, compared by hash, never installed."""

from __future__ import annotations

import hashlib
import sys
import zipfile
from pathlib import Path

from cipherassay.cache import cache_folder
from cipherassay.errors import ToolError
from cipherassay.hardware.libraries.characterization_recipe import Package
from cipherassay.hardware.tools import process


def folder() -> Path:
    """Return where fetched wheels are kept."""
    return cache_folder("wheels")


def find(package: Package, place: Path | None = None) -> Path | None:
    """Return the wheel of a package if it is in a folder (without one: the cache), None if not.

    Raises
    ------
    ToolError
        ``H751``: there is one of that name with another content.
    """
    stem = f"{package.name.replace('-', '_')}-{package.version}-"
    for path in sorted((place or folder()).glob(f"{stem}*.whl")):
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        if found != package.sha256:
            raise ToolError(
                "H751",
                f"`{path.name}` is not the package that the recipe names",
                notes=[f"its SHA-256 is {found}", f"expected {package.sha256}"],
                help=f"remove it; {_command(package)}",
            )
        return path
    return None


def wheel(package: Package, place: Path | None = None) -> zipfile.ZipFile:
    """Return the wheel of a package, fetched if it is not there.

    Parameters
    ----------
    place : Path, optional
        A folder with wheels; what it holds is not fetched.

    Raises
    ------
    ToolError
        ``H750``: it cannot be had; ``H751``: it is another one.
    """
    path = find(package, place) or find(package) or _fetched(package)
    return zipfile.ZipFile(path)


def _fetched(package: Package) -> Path:
    target = folder()
    target.mkdir(parents=True, exist_ok=True)
    wanted = f"{package.name}=={package.version}"
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
        "--dest", str(target), wanted,
    ]  # fmt: skip
    try:
        process.run(command, target, doing=f"fetching {wanted}", seconds=600)
    except ToolError as error:
        raise _absent(package, list(error.notes)) from None
    path = find(package)
    if path is None:
        raise _absent(package, ["pip gave no wheel of that version"])
    return path


def _absent(package: Package, notes: list[str]) -> ToolError:
    return ToolError(
        "H750",
        f"the package `{package.name}` {package.version} cannot be had",
        notes=notes,
        help=f"{_command(package)}, then --packages FOLDER",
    )


def _command(package: Package) -> str:
    return f"pip download --no-deps --dest FOLDER {package.name}=={package.version}"


def read(archive: zipfile.ZipFile, path: str) -> str:
    """Return the text of a file of a wheel; raises ToolError ``H752``: it holds no such file."""
    try:
        return archive.read(path).decode("utf-8", errors="replace")
    except KeyError:
        name = Path(archive.filename or "").name
        raise ToolError(
            "H752",
            f"`{name}` holds no `{path}`",
            help="the recipe of the technology names another file than the package has",
        ) from None
