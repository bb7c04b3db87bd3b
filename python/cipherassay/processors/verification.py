"""Kept choices of kernels and stored schedules, checked: kernels are made, schedules checked, texts run."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path

from cipherassay import keeping
from cipherassay._engine import Graph
from cipherassay.errors import VerificationError
from cipherassay.keeping.verification import (
    State,
    Unit,
    Verdict,
    by_entry,
    by_file,
    is_of_package,
    not_checked,
    plain,
    said,
)
from cipherassay.processors import again, library
from cipherassay.processors import schedules as stored
from cipherassay.processors.again import KeptKernel
from cipherassay.processors.making import make, scheduled


def kernels() -> list[Unit]:
    """Return the work of verifying every kept choice."""
    return by_entry(library.KIND, "*.json", _choices)


def _choices(path: Path) -> Iterator[Unit]:
    for name, choice in library.read(path).items():
        yield Unit(f"{name} on {path.stem}", partial(_kernel, path, KeptKernel(path.stem, name, choice)))


def _kernel(path: Path, one: KeptKernel) -> Iterator[Verdict]:
    name = f"{keeping.name_of(path)}: {one.name}"
    if not is_of_package(one.cipher):
        yield not_checked(library.KIND, path, name)
        return
    error = again.verified(one).error
    if error is None:
        yield Verdict(library.KIND, name, "holds", path)
        return

    def take_out() -> None:
        keeping.update(library.KIND, path.name, lambda file: _without(file, one.name))

    state: State = "false" if isinstance(error, VerificationError) else "stale"
    yield Verdict(library.KIND, name, state, path, said(error), take_out)


def _without(path: Path | None, name: str) -> str:
    known = library.read(path) if path else {}
    return library.text_of({one: choice for one, choice in known.items() if one != name})


def schedules() -> list[Unit]:
    """Return the work of verifying every stored schedule by the graph of its kernel's region."""
    owners = {again.stem(one): one for one in again.kept() if is_of_package(one.cipher)}
    return by_file(stored.KIND, "*/*.json", lambda path: _schedule(path, owners))


def _schedule(path: Path, owners: dict[tuple[str, str], KeptKernel]) -> Iterator[Verdict]:
    stem, _, region = path.stem.rpartition("-")
    owner = owners.get((path.parent.name, stem))
    if not is_of_package(path.parent.name):
        yield not_checked(stored.KIND, path)
    elif owner is None:
        yield plain(stored.KIND, path, "it is of no kept kernel")
    else:
        graphs, resources = _graphs(owner)
        if int(region) >= len(graphs):
            yield plain(stored.KIND, path, f"the kernel has no region {region} by now")
        else:
            loaded = stored.load_file(graphs[int(region)], resources, path)
            yield plain(stored.KIND, path, "" if loaded.solved else loaded.reason)


@lru_cache(maxsize=2)
def _graphs(one: KeptKernel) -> tuple[list[Graph], str]:
    job = one.request()
    kernel = make(
        job.cipher, job.operation, job.processor, one.choice, key_bits=job.key_bits, variant=job.variant
    )
    return scheduled(kernel).graphs(), kernel.processor.resources()
