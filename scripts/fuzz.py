"""Take random descriptions through all levels for some time and print counts; exit 1 if anything fails.

Each description has known answers that were computed by plain numbers. A failure names its seed;
`scripts/fuzz.py --seed N` takes just that description through all levels. The folder with the descriptions
stays where something failed.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from cipherassay.coverage import levels
from cipherassay.jobs import executor
from support.fuzzing.running import LEFT_OUT, Findings, run


def main() -> int:
    """Run what the arguments ask for, and return the exit code."""
    known = [one.name for one in levels() if one.name not in LEFT_OUT]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="begin nothing after this time")
    parser.add_argument("--start", type=int, default=random.SystemRandom().randrange(10**9),
                        help="the first seed (default: a random one)")  # fmt: skip
    parser.add_argument("--seed", type=int, help="only this description, on all levels")
    parser.add_argument("--level", action="append", default=[], choices=known, help="only these levels")
    given = parser.parse_args()
    seeds = count(given.start) if given.seed is None else iter([given.seed])
    only = given.level or ([] if given.seed is None else known)
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    with tempfile.TemporaryDirectory() as cache:
        os.environ["CIPHERASSAY_CACHE"] = cache
        with executor() as place:
            found = _shown(run(seeds, given.seconds, place, folder, only))
    first = given.start if given.seed is None else given.seed
    sys.stdout.writelines(f"{line}\n" for line in found.lines())
    sys.stdout.write(f"{found.descriptions} descriptions from seed {first}, {len(found.failures)} failures\n")
    if found.failures:
        sys.stdout.write(f"the descriptions are in {folder}\n")
        return 1
    shutil.rmtree(folder)
    return 0


def _shown(batches: Iterator[Findings]) -> Findings:
    """Print failures as they come; return the last findings, also of a run that was interrupted."""
    found, shown = Findings(), 0
    try:
        for found in batches:
            sys.stdout.writelines(f"{failure}\n" for failure in found.failures[shown:])
            shown = len(found.failures)
            sys.stderr.write(f"{found.descriptions} descriptions\n")
            sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
    return found


if __name__ == "__main__":
    raise SystemExit(main())
