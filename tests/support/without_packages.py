"""Run as a program: commands of `assay` in a process that cannot import some packages.

Reads ``{"blocked": [module, …], "commands": [[argument, …], …]}`` from standard input, writes the results:
``[[exit code, standard error], …]``.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys


class _Blocker:
    """Finds no module of some names, like an environment that lacks them."""

    def __init__(self, names: list[str]) -> None:
        self.names = set(names)

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def run(arguments: list[str]) -> tuple[int, str]:
    from cipherassay.cli import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(arguments)
        except SystemExit as ended:
            return int(ended.code or 0), err.getvalue()
    raise AssertionError("the command did not end")


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    sys.meta_path.insert(0, _Blocker(asked["blocked"]))
    results = [run(arguments) for arguments in asked["commands"]]
    json.dump(results, sys.stdout)
