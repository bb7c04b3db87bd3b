"""The fastest strategy of each cipher, found by measurement and kept: asked for, or where none is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cipherassay.console.output import show_table, write_json
from cipherassay.console.progress import progress, say

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cipherassay.ciphers import Cipher
    from cipherassay.native.choosing import Choice


def measure_best(ciphers: Sequence[Cipher], seconds: float, *, accept: bool, json: bool) -> None:
    """Try every strategy that applies to each cipher within a time, keep the fastest, show what was tried."""
    found = []
    for choice, target in _choices(ciphers, seconds, accept=accept, quiet=json):
        found.append(choice)
        if not json:
            _show(choice, target)
    if json:
        write_json({"choices": [_document(choice) for choice in found]})


def choose_missing(ciphers: Sequence[Cipher], seconds: float, *, accept: bool, json: bool) -> None:
    """Choose, as `measure_best`, for those ciphers that no strategy is kept for; say what was chosen."""
    from cipherassay.strategies import preferences

    missing = [one for one in ciphers if preferences.NATIVE not in preferences.choices(one)]
    for choice, _ in _choices(missing, seconds, accept=accept, quiet=json):
        if not json:
            count = len(choice.tried)
            say(f"kept for {choice.cipher.name}: {choice.best}, the fastest of {count} strategies tried")


def _choices(
    ciphers: Sequence[Cipher], seconds: float, *, accept: bool, quiet: bool
) -> Iterator[tuple[Choice, str]]:
    """Choose for each cipher and keep it; give the choice and the machine that it was measured on."""
    from cipherassay.native import choosing
    from cipherassay.native.session import session
    from cipherassay.tools.compiler import find_compiler

    compiler = find_compiler("c")
    for cipher in ciphers:
        with (
            progress(f"strategies of {cipher.name}", seconds, quiet=quiet) as bar,
            session(accept_unstable=accept) as steady,
        ):

            def advance(amount: float, what: str, bar: Any = bar) -> None:
                bar.advance(max(0.0, min(amount, seconds - bar.done)), what)

            choice = choosing.choose(cipher, steady, compiler, seconds, advance)
        choosing.keep(choice)
        yield choice, steady.target


def _document(choice: Choice) -> dict[str, Any]:
    return {
        "cipher": choice.cipher.slug, "key_bits": choice.key_bits or None, "best": choice.best,
        "before": choice.before, "left_out": choice.left_out,
        "tried": [
            {
                "strategy": one.strategy, "same": list(one.same), "stable": one.stable,
                "cycles": dict(one.cycles),
            }
            for one in choice.tried
        ],
    }  # fmt: skip


def _show(choice: Choice, target: str) -> None:
    named = list(choice.tried[0].cycles)
    columns = ["strategy", *(one.replace("_", " ") for one in named), "stable"]
    lines = [
        [one.strategy, *(round(one.cycles[name], 1) for name in named), "yes" if one.stable else "no"]
        for one in choice.tried
    ]
    keys = f", {choice.key_bits}-bit keys" if choice.key_bits else ""
    show_table(columns, lines, title=f"{choice.cipher.name}{keys}: cycles on {target}")
    for one in choice.tried:
        for name in one.same:
            say(f"{name}: the same C as {one.strategy}")
    for name, why in choice.left_out.items():
        say(f"left out: {name}: {why}")
    was = "as before" if choice.best == choice.before else f"{choice.before} before"
    say(f"kept for {choice.cipher.name}: {choice.best} ({was})")
