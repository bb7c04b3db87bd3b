"""Dask clusters, for sweeps on several machines: the library, and a client of a scheduler."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from cipherassay import tools
from cipherassay.errors import ToolError

LOCAL = "local"
"""The address that stands for a cluster of this machine, for trying."""
_SECONDS = 10


def library() -> Any:
    """Return the module ``distributed``; raises ToolError ``T002`` where it is not installed."""
    tools.require("distributed")
    import distributed

    return distributed


@contextmanager
def client(address: str, workers: int) -> Iterator[Any]:
    """Give a client of the scheduler at an address (``tcp://HOST:PORT`` or ``HOST:PORT``).

    ``local`` starts a cluster of ``workers`` processes on this machine, and ends it.

    Raises
    ------
    ToolError
        ``T002``: Dask is not installed; ``H707``: the scheduler does not answer.
    """
    distributed = library()
    cluster = None
    try:
        if address == LOCAL:
            cluster = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=None
            )
        place = address if "://" in address else f"tcp://{address}"
        connected = distributed.Client(cluster or place, timeout=_SECONDS)
    except (OSError, TimeoutError, ValueError) as error:
        raise ToolError(
            "H707",
            f"the Dask scheduler `{address}` does not answer",
            notes=[str(error).splitlines()[0] if str(error) else type(error).__name__],
            help="start one with `dask scheduler` and workers with `dask worker`, or use --executor local",
        ) from None
    try:
        yield connected
    finally:
        connected.close()
        if cluster is not None:
            cluster.close()
