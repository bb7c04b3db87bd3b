"""Jobs: all work whose results are kept is a list of jobs, and one runner does them.

A `Job` says what its result depends on and how to make it. `run` takes from a cache what still holds, and has
an `Executor` do the rest: in threads, in processes, alone on the machine, or on a Dask cluster. What a result
depends on is stated through a `Producer`, so that the code that makes it is never left out.
"""

from cipherassay.jobs.executor import Executor, Local, executor
from cipherassay.jobs.job import Cache, Job, NoCache, Place, RowCache, Rows
from cipherassay.jobs.producer import Producer
from cipherassay.jobs.progress import SILENT, Progress
from cipherassay.jobs.runner import Outcome, each, run, together

__all__ = [
    "SILENT", "Cache", "Executor", "Job", "Local", "NoCache", "Outcome", "Place", "Producer", "Progress",
    "RowCache", "Rows", "each", "executor", "run", "together",
]  # fmt: skip
