"""All that is known of an operation on a small processor: as a document, and as people see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cipherassay.cli.measure.checked import show_checked

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher
    from cipherassay.embedded.processor import Processor
    from cipherassay.published import PublishedRow
    from cipherassay.results import Row

KEY_SETUPS = dict.fromkeys(("key_setup_encrypt", "key_setup_decrypt", "key_setup_both"), "key_setup_both")
"""Key setups as they may be asked for, and as rows name them: one serves both directions, unless decryption
has a key schedule of its own."""
WHOLE = "call to return"


def operations(cipher: Cipher) -> dict[str, str]:
    """Return the operations of a cipher as they may be asked for, with their names in rows."""
    if cipher.keyed:
        return KEY_SETUPS | dict(zip(cipher.directions, cipher.directions, strict=True))
    return dict(zip(cipher.directions, cipher.directions, strict=True))


def document(rows: list[Row], processor: Processor, block_bits: int) -> dict[str, Any]:
    """Return what the rows of one operation say, beside the paper's cycles on the same processor."""
    from cipherassay.families import small
    from cipherassay.lang.shapes import BLOCK_OPERATIONS

    head, values = rows[0], {(row.metric, (row.configuration or "").split(", ")[-1]): row for row in rows}
    cycles = {what: values["cycles", what].value for what in (processor.inside, WHOLE)}
    clock = small.FAMILY.document(processor.name)["clock"]
    paper = published(head, processor.name)
    seconds = cycles[WHOLE] * clock["clocks"] / (clock["mhz"] * 1e6)
    of_blocks = head.operation in BLOCK_OPERATIONS
    return {
        "cipher": head.cipher,
        "operation": head.operation,
        "key_bits": head.key_bits,
        "variant": head.variant or "",
        "processor": processor.name,
        "form": (head.configuration or "").split(", ")[0],
        "cycles": cycles[WHOLE],
        "cycles_inside": cycles[processor.inside],
        "inside": processor.inside,
        "cycles_average": round(values["cycles_average", WHOLE].value, 1),
        "kbit_per_second": round(block_bits / seconds / 1e3, 2) if of_blocks else None,
        "mhz": clock["mhz"],
        "code_bytes": next(row.value for row in rows if row.metric == "code_bytes"),
        "ram_bytes": next(row.value for row in rows if row.metric == "ram_bytes"),
        "checked_by": head.tools,
        "published": paper and {
            "cycles": paper.value, "ratio": round(cycles[WHOLE] / paper.value, 3),
            "source": f"{paper.paper}, {paper.where}",
        },
    }  # fmt: skip


def published(head: Row, processor: str) -> PublishedRow | None:
    """Return the paper's cycles of an operation on a processor, None where it has none."""
    from cipherassay import published as papers

    of_keys = head.operation == KEY_SETUPS["key_setup_both"]
    if processor not in (models := papers.modelled()):
        return None
    paper, target = models[processor]
    found = papers.lookup(paper=paper.id, cipher=head.cipher, operation=head.operation, target=target)
    sizes = (head.key_bits,) if of_keys else (head.key_bits, None)
    return next((r for r in found if r.metric == "cycles" and r.key_bits in sizes and not r.strategy), None)


def show(known: dict[str, Any]) -> None:
    """Print the document."""
    names = {
        "form": "form", "cycles": f"cycles, {WHOLE}", "cycles_inside": f"cycles, {known['inside']}",
        "cycles_average": "cycles, average over inputs", "kbit_per_second": f"kbit/s at {known['mhz']:g} MHz",
        "code_bytes": "bytes of code and tables", "ram_bytes": "bytes of RAM",
    }  # fmt: skip
    show_checked(known, names)
