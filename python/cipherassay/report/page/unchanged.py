"""A report whose files would come out as they are is not written again."""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path

from cipherassay import tools
from cipherassay.cache import cache_folder
from cipherassay.console.output import write_file
from cipherassay.jobs.digests import digest, files_digest, text_digest
from cipherassay.report.data import ReportData
from cipherassay.report.page.writing import write_report

PACKAGE = Path(__file__).parents[1]


def write(folder: Path, data: ReportData) -> Path:
    """Write a report into a folder, unless it was written from the same data and its files are as they were.

    Parameters
    ----------
    folder : Path
        The report's folder; the cache remembers its files.
    data : ReportData
        What the report shows.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    UsageError
        What `write_report` raises.
    """
    record = cache_folder("reports") / f"{text_digest(str(folder.resolve()))}.json"
    made_of = _made_of(data)
    if _recorded(record) == {"made_of": made_of, "files": _files(folder)}:
        return folder / "index.html"
    record.unlink(missing_ok=True)  # an interruption leaves files of both reports
    page = write_report(folder, data)
    write_file(record, json.dumps({"made_of": made_of, "files": _files(folder)}))
    return page


def _made_of(data: ReportData) -> str:
    """Return the digest of all that a report depends on: what it shows, this package, what draws it."""
    package = (path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return digest(
        {
            "data": text_digest(repr(data)),
            "described": [text_digest(Path(one.file).read_text("utf-8")) for one in data.described.values()],
            "package": files_digest(package, PACKAGE),
            "packages": {name: importlib.metadata.version(name) for name in (*tools.REPORTING, "jinja2")},
            "python": sys.version,
        }
    )


def _files(folder: Path) -> dict[str, list[int]]:
    """Return size and time of change of each file of a folder."""
    states = {path: path.stat() for path in sorted(folder.rglob("*")) if path.is_file()}
    return {str(path): [state.st_size, state.st_mtime_ns] for path, state in states.items()}


def _recorded(record: Path) -> object:
    """Return what was recorded of a report; None where there is nothing, or nothing that can be read."""
    try:
        return json.loads(record.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
