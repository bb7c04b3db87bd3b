"""The process that runs a user's cipher file for `assay check`, and what it tells its parent.

Only a finished check counts. It comes over a pipe of which the file knows nothing, so that no way of
ending the process, with whatever exit status, is taken for one.
"""

from __future__ import annotations

import json
import math
import os
import resource
import signal
import sys
import traceback
from pathlib import Path
from typing import Any, NoReturn

from cipherassay.errors import AssayError, DescriptionError, UsageError, error_document
from cipherassay.limits import Limits, limit

CHECK = "assay check"
"""The command whose options raise what a file may take."""


def main(job: dict[str, Any]) -> NoReturn:
    """Check the file that the job names, and end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process after Ctrl-C
    most = int(job["memory"] * 2**30)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    limit(Limits(math.inf, math.inf, job["operations"], CHECK))
    channel = Channel(job["channel"])
    clock = _Clock(job["file"], job["seconds"], channel)
    try:
        from cipherassay import _engine, vectors  # noqa: F401 - what loading them takes is not the file's time
        from cipherassay.review.checking import check

        clock.begin("loading the file")
        checked = check(job["file"], [Path(path) for path in job["vectors"]], clock.begin)
        clock.end()
        channel.send("review", checked.document())
    except AssayError as error:
        clock.end()
        channel.send("error", error_document(error))
    except MemoryError:
        channel.send("error", error_document(_no_memory(job["file"])))
    except KeyboardInterrupt:  # the file's own: the signal is ignored here
        raised = DescriptionError("D016", f"`{job['file']}` raised KeyboardInterrupt")
        channel.send("error", error_document(raised))
    except OSError as error:  # it was there when the check began
        gone = UsageError("U028", f"`{error.filename or job['file']}` cannot be read: {error.strerror}")
        channel.send("error", error_document(gone))
    except BaseException as error:  # noqa: BLE001 - said by the parent, as a bug
        channel.send("bug", "".join(traceback.format_exception(error)))
    sys.stdout.flush()
    os._exit(0)  # threads that the file has started are not waited for


class Channel:
    """The pipe to the parent: one JSON document a line, each a kind and its content."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        os.set_inheritable(descriptor, False)  # processes that the file starts do not hold it open

    def send(self, kind: str, content: Any) -> None:
        """Send a document; without a parent, or where the file has closed the pipe, end."""
        data = json.dumps([kind, content]).encode() + b"\n"
        try:
            while data:
                data = data[os.write(self.descriptor, data) :]
        except OSError:
            os._exit(1)


class _Clock:
    """The time that one step of the check may take."""

    def __init__(self, file: str, seconds: float, channel: Channel) -> None:
        self.file, self.seconds, self.channel, self.step = file, seconds, channel, ""
        signal.signal(signal.SIGALRM, self._over)

    def begin(self, step: str) -> None:
        """Begin a step: say so, and wait for it from now on."""
        self.step = step
        self.channel.send("step", step)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def end(self) -> None:
        """Wait no longer."""
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _over(self, *_: Any) -> NoReturn:
        from cipherassay.lang.place import complain

        error = out_of_time(self.file, self.seconds, self.step)
        raise complain(error.code, error.message, notes=error.notes, help=error.help)


def out_of_time(file: str, seconds: float, step: str) -> DescriptionError:
    """Return the error for a step that does not end."""
    return DescriptionError(
        "D028",
        f"`{file}` does not come to an end within {seconds:g} s",
        notes=[f"while {step}"],
        help=Limits(command=CHECK).longer,
    )


def _no_memory(file: str) -> DescriptionError:
    from cipherassay.lang.run import memory_error

    return memory_error(f"`{file}`")
