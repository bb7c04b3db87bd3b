"""All that is known of a kernel of a processor of issue slots: as a document, and as people see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cipherassay.console.output import format_cell, output, show_table

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher
    from cipherassay.processors.kernel import Kernel
    from cipherassay.processors.parts import PartSchedule
    from cipherassay.published import PublishedRow


def document(kernel: Kernel, cipher: Cipher) -> dict[str, Any]:
    """Return everything that is known of a kernel as a document."""
    from cipherassay.processors import proofs
    from cipherassay.processors.references import printed
    from cipherassay.processors.rows import throughput
    from cipherassay.processors.sizes import code_bytes, table_bytes

    speed = throughput(kernel, cipher.output_bits, kernel.cycles)
    paper = printed(
        cipher.name, kernel.operation, kernel.processor.name, key_bits=kernel.key_bits, variant=kernel.variant
    )
    size, measured = code_bytes(kernel)
    out_of_order = kernel.processor.issues_out_of_order
    return {
        "cipher": cipher.name,
        "operation": kernel.operation,
        "key_bits": kernel.key_bits or None,
        "variant": kernel.variant,
        "processor": kernel.processor.name,
        "cycles": kernel.cycles,
        "cycles_without_misses": kernel.cycles if out_of_order else kernel.planned,
        "mbit_per_second": None if speed is None else round(speed, 1),
        "bound": kernel.bound,
        "proved": kernel.proved,
        "certificate": proofs.certificate(kernel, kernel.cycles),
        "operations": kernel.operations,
        "ipc": round(kernel.operations / kernel.cycles, 4),
        "registers": kernel.registers,
        "bundles": kernel.assembly["bundles"],
        "nops": kernel.assembly["nops"],
        "code_bytes": size,
        "code_bytes_from": measured,
        "table_bytes": table_bytes(kernel),
        "strategy": kernel.choice.strategy,
        "circuits": kernel.choice.circuits,
        "pointers": kernel.choice.pointers,
        "avoided": list(kernel.choice.avoid),
        "layout": kernel.choice.layout,
        "choice": str(kernel.choice),
        "regions": _regions(kernel),
        "instructions": dict(sorted(kernel.counts.items(), key=lambda item: (-item[1], item[0]))),
        "published": paper and _published(paper, kernel.cycles),
    }


def laid(kernel: Kernel, cipher: Cipher, layout: str) -> tuple[Kernel, dict[str, int]]:
    """Return a kernel with its tables laid out as asked, and cycles and operations with and without that.

    Raises
    ------
    UsageError
        ``M717``: no such layout.
    """
    from cipherassay.processors import layouts

    found = layouts.laid(kernel, cipher, layout)
    plain = layouts.laid(kernel, cipher, layouts.LAYOUTS[0])
    return found, {
        "cycles": found.cycles, "operations": found.operations,
        "contiguous_cycles": plain.cycles, "contiguous_operations": plain.operations,
        "saved": plain.cycles - found.cycles,
    }  # fmt: skip


def _regions(kernel: Kernel) -> list[dict[str, Any]]:
    from cipherassay.processors import proofs

    return [
        {
            "iterations": part.iterations,
            "operations": part.operations,
            "cycles": part.cycles,
            "interval": part.interval,
            "bound": part.bound,
            "certificate": proofs.kind(part.value, part.bound, part.bound_kind),
            "why": part.bound_why,
            "stop": part.stop,
            "origin": part.origin,
        }
        for part in kernel.parts
    ]


def _published(paper: PublishedRow, cycles: int) -> dict[str, Any]:
    return {
        "cycles": paper.value,
        "difference": cycles - paper.value,
        "source": f"{paper.paper}, {paper.where}",
        "machine": paper.target,
        "errata": list(paper.errata),
    }


def part_document(found: PartSchedule) -> dict[str, Any]:
    """Return the schedule of a part as a document."""
    from cipherassay.processors import proofs

    return {
        "cipher": found.cipher,
        "part": found.part,
        "processor": found.processor,
        "cycles": found.cycles,
        "bound": found.bound,
        "certificate": proofs.kind(found.cycles, found.bound, found.bound_kind),
        "why": found.bound_why,
        "operations": [{"cycle": one.cycle, "text": one.text} for one in found.operations],
    }


def show_part(known: dict[str, Any]) -> None:
    """Print the schedule of a part: a line per cycle."""
    console = output()
    title = f"{known['cipher']} {known['part']} alone, on {known['processor']}"
    console.print(title, style="bold", markup=False)
    proof = _certificate(known)
    console.print(
        f"  cycles {known['cycles']}, bound {known['bound']} ({known['why']}); {proof}", markup=False
    )
    cycles: dict[int, list[str]] = {}
    for one in known["operations"]:
        cycles.setdefault(one["cycle"], []).append(one["text"])
    rows = [(cycle + 1, "; ".join(texts)) for cycle, texts in sorted(cycles.items())]
    show_table(("cycle", "operations"), rows)


def show(known: dict[str, Any]) -> None:
    """Print the document as a list of facts, the regions, and the instructions used."""
    variant = f" ({known['variant']})" if known["variant"] else ""
    bits = known["key_bits"]
    of_key = f", {bits}-bit key" if bits else ""
    title = f"{known['cipher']}{variant} {known['operation']}{of_key}, on {known['processor']}"
    console = output()
    console.print(title, style="bold", markup=False)
    facts = list(_facts(known).items())
    width = max(len(name) for name, _ in facts)
    for name, text in facts:
        console.print(f"  {name:<{width}}  {text}", markup=False)
    _show_regions(known)
    used = ", ".join(f"{name} {count}" for name, count in known["instructions"].items())
    console.print(f"Instructions: {used}", markup=False)


def _facts(known: dict[str, Any]) -> dict[str, str]:
    hits = known["cycles_without_misses"]
    missed = f", {hits} if every access hits" if known["cycles"] > hits else ""
    facts = {"cycles": f"{known['cycles']}{missed}"}
    if known["mbit_per_second"] is not None:
        facts["speed"] = f"{known['mbit_per_second']} Mbit/s"
    if known["bound"] is not None:
        facts["bound"] = f"{known['bound']}{', reached' if known['bound'] == known['cycles'] else ''}"
    if known["published"]:
        paper = known["published"]
        facts["published"] = f"{paper['cycles']:g} ({paper['source']}): {paper['difference']:+g}"
    facts["operations"] = f"{known['operations']}, {format_cell(known['ipc'])} a cycle"
    facts["registers"] = ", ".join(f"{kind} {notation}" for kind, notation in known["registers"].items())
    if known["code_bytes"] is not None:
        bundles = f", {known['bundles']} bundles, {known['nops']} nops" if known["bundles"] else ""
        facts["code"] = f"{known['code_bytes']} bytes{bundles} ({known['code_bytes_from']})"
    facts["tables"] = f"{known['table_bytes']} bytes"
    facts["chosen"] = known["choice"]
    if "layout_saving" in known:
        saving = known["layout_saving"]
        facts["layout"] = (
            f"{known['layout']}: {saving['cycles']} cycles, {saving['operations']} operations; contiguous: "
            f"{saving['contiguous_cycles']}, {saving['contiguous_operations']}; saves {saving['saved']}"
        )
    return facts


def _show_regions(known: dict[str, Any]) -> None:
    regions = known["regions"]
    if len(regions) == 1 and known["bound"] is not None:
        (one,) = regions
        output().print(f"Bound {known['bound']}: {known['certificate']}; {one['origin']}", markup=False)
        return
    show_table(
        ("iterations", "operations", "cycles", "interval", "bound", "certificate", "stop", "origin"),
        [
            (
                one["iterations"], one["operations"], one["cycles"], one["interval"], one["bound"],
                _certificate(one), one["stop"], one["origin"],
            )
            for one in regions
        ],
        title="Regions (of a pipelined loop the bound is the interval's)",
    )  # fmt: skip


def _certificate(region: dict[str, Any]) -> str:
    kind = region["certificate"]
    return "not proved" if kind == "none" else f"proved: {kind}"


def show_savings(savings: list[dict[str, Any]]) -> None:
    """Print what each pass saves; a negative number says that the kernel would be better without it."""
    show_table(
        ("pass or choice", "cycles", "operations", "bundles", "what it does"),
        [
            (
                one["name"],
                *(one[what] for what in ("cycles", "operations", "bundles")),
                one["refused"] or one["description"],
            )
            for one in savings
        ],
        title="Saved by each: what the kernel takes more without it",
    )
