"""What a technology's file says of how its Liberty file is made: ``[characterization]``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Package:
    """A wheel of PyPI: the name of the project, its version, and the hash of the file."""

    name: str
    version: str
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Device:
    """A transistor of the netlists and the model that stands for it; `kind` is ``n`` or ``p``."""

    name: str
    model: str
    kind: str


@dataclass(frozen=True, kw_only=True)
class Characterization:
    """Where netlists, outlines and models are, and over which slopes and loads cells are simulated.

    `netlists` and `outlines` are paths within the package `cells`, `models` one within `devices`; ``{kind}``
    is the cell's name without library and drive. Slopes are from 20 to 80 % of the supply; loads are those of
    drive 1, others have as many times more. Diffusion is as long as `diffusion_end_um` beside one gate, and
    as `diffusion_shared_um` between two.
    """

    package: tuple[Package, ...]
    device: tuple[Device, ...]
    cells: str
    devices: str
    netlists: str
    outlines: str
    models: str
    ground: tuple[str, ...]
    supply: tuple[str, ...]
    diffusion_end_um: float
    diffusion_shared_um: float
    slopes_ns: tuple[float, ...]
    loads_ff: tuple[float, ...]
    constraint_slopes_ns: tuple[float, ...]


def drive_of(name: str) -> int:
    """Return the drive of a cell: the number at the end of its name."""
    return int(name.rpartition("_")[2])
