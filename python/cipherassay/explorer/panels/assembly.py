"""Assembly of a modelled processor, with the cycle of each instruction and what of it each line takes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from cipherassay.explorer import lines
from cipherassay.explorer.panels import Given, Option, Show

TITLE = "Assembly"
ORDER = 4
NICE = 5


@cache
def options() -> Sequence[Option]:
    """Return the modelled processors."""
    from cipherassay import families

    titles = {name: families.family_of(name).entry(name).title for name in families.names()}
    return (Option("processor", "Processor", [(name, f"{name}: {title}") for name, title in titles.items()]),)


def make(given: Given, show: Show) -> None:
    """Show the listing."""
    from cipherassay import families

    (processor,) = options()
    name = given.option("assembly", processor)
    listing = families.family_of(name).listing(name, given.cipher, given.operation, given.key_bits)
    tied, cycles, taken = lines.of_listing(listing, given.file)
    facts = [("operation", given.operation), *listing.facts]
    show(
        "text",
        lines.document(
            f"{given.cipher.slug}.s", "assembly", listing.text, tied, facts, cycles=cycles, by_line=taken
        ),
    )
