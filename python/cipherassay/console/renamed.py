"""Former names of commands and options, each with the present one."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field

from cipherassay.errors import UsageError


@dataclass(frozen=True)
class Rename:
    """A command that has another name by now."""

    old: str
    new: str
    options: dict[str, str] = field(default_factory=dict)
    """Options that have other names; an empty one: what follows it is an argument."""
    second: str = ""
    """The option that takes what was the second argument."""
    every: str = ""
    """What says that all are meant, where no argument did."""


KEYS, KEPT = {"--key": "--key-bits"}, {"--store": "--keep"}
COMMANDS = (
    Rename("schedule", "measure", {"--specialize-key": "--key"}, second="--operation"),
    Rename("simulate-rtl", "simulate --rtl", KEYS | KEPT),
    *(Rename(name, f"study {name}") for name in ("addressing", "layout", "linear")),
    Rename("inverse", "study inverse", {"--width": "--word-size"}),
    Rename("key-jump", "study key-jump", KEPT),
    Rename("what-if", "study what-if -p"),
    Rename("compare hardware", "study hardware", KEYS),
    Rename("compare libraries", "compare", {"--cipher": ""}),
    Rename("new cipher", "new"),
    Rename("processor list", "list processors"),
    Rename("processor show", "show"),
    Rename("processor check", "check", every="processors"),
    Rename("technology list", "list technologies"),
    Rename("technology show", "show"),
    Rename("technology check", "check", every="technologies"),
    Rename("technology characterize", "emit liberty"),
    Rename("published table", "show"),
    Rename("published check", "check", every="published"),
    Rename("circuit verify", "verify circuits"),
    Rename("circuit sweep", "circuit search"),
    Rename("verify netlist", "verify netlists"),
)
"""Longer old names first where one begins another."""
OPTIONS = {
    "measure": {"--target": "--processor", "--straight": "--unrolled", "--specialize-key": "--key"},
    "emit asm": {"--straight": "--unrolled"},
    "emit rtl": KEYS,
    "simulate": KEPT,
    "synthesize": KEYS | KEPT,
    "study key-jump": KEPT,
    "study hardware": KEYS,
    "study inverse": {"--width": "--word-size"},
    "compare": {"--cipher": ""},
}
"""Options that have other names, by command."""


def answer_old_command(given: Sequence[str]) -> None:
    """Refuse a former command with the present one.

    Raises
    ------
    UsageError
        ``U060``: a command has another name.
    """
    for one in COMMANDS:
        words = one.old.split()
        if [*given[: len(words)]] == words:
            rest = _arguments(given[len(words) :], one)
            now = f"assay {one.new}{f' {shlex.join(rest)}' if rest else ''}"
            raise UsageError("U060", f"`{one.old}` is `{one.new}` now", help=now)


def answer_old_option(command: str, option: str) -> None:
    """Refuse a former option of a command (``measure``) with the present one.

    Raises
    ------
    UsageError
        ``U061``: an option has another name.
    """
    new = OPTIONS.get(command, {}).get(option)
    if new is not None:
        now = f"`{new}`" if new else "an argument"
        help = f"`assay {command} --help` shows what it takes"
        raise UsageError("U061", f"`{option}` of `assay {command}` is {now} now", help=help)


def _arguments(given: Sequence[str], one: Rename) -> list[str]:
    """Return a former command's arguments as the present one takes them."""
    found = [one.options.get(word, word) for word in given]
    if one.second and len(given) > 1 and not any(word.startswith("-") for word in given[:2]):
        found[1:1] = [one.second]
    named = bool(given) and not given[0].startswith("-")
    return [word for word in (*([] if named else [one.every]), *found) if word]
