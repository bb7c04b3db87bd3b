"""Generated C for the chosen key size."""

from __future__ import annotations

from collections.abc import Sequence

from cipherassay.explorer import lines
from cipherassay.explorer.panels import Given, Option, Show

TITLE = "C"
ORDER = 3
NICE = 5
PREFERRED = "preferred"


def options() -> Sequence[Option]:
    """Return the strategies for compilers."""
    from cipherassay import strategies

    known = (strategies.load(name) for name in strategies.names())
    usable = [one.name for one in known if not (one.for_processors or one.for_each_key)]
    values = [(PREFERRED, "the preferred one"), *((one, one) for one in usable)]
    return (Option("strategy", "Strategy", values),)


def make(given: Given, show: Show) -> None:
    """Show the source file."""
    from cipherassay import strategies

    cipher, (strategy,) = given.cipher, options()
    chosen = given.option("c", strategy)
    name = strategies.preferred(cipher) if chosen == PREFERRED else chosen
    files = strategies.emit_c(cipher, [given.key_bits], name)
    file, text = files[-1]
    facts = [("strategy", f"{name}: {strategies.load(name).title}"), ("lines", str(text.count("\n")))]
    show("text", lines.document(file, "c", text, lines.of_comments(text, given.file), facts))
