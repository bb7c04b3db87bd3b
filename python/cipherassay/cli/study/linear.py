"""`assay study linear`: linear layers of bytes as programs of words, of bits as exclusive ors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay import signals
from cipherassay.console.options import writable_folder
from cipherassay.console.output import Json, output, output_folder, show_table, write_file, write_json
from cipherassay.console.progress import progress, say
from cipherassay.errors import UsageError, nearest

if TYPE_CHECKING:
    from cipherassay.linear import LinearResult, Machine, Matrix, Program
    from cipherassay.linear.bit_layers import BitLayer
    from cipherassay.linear.bit_programs import BitProgram

ORDERS = ("free", "fixed")


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("linear")(linear)


def linear(
    what: Annotated[
        str, typer.Argument(metavar="CIPHER|MATRIX-FILE", help="A cipher, or a matrix.", show_default=False)
    ],
    machine: Annotated[str, typer.Option("--machine", "-m", help="A machine, or its file.")] = "two-issue",
    word_size: Annotated[int, typer.Option("--word-size", metavar="BITS", help="8, 16, 32 or 64.")] = 32,
    order: Annotated[
        str, typer.Option("--order", help="Of the bytes in the words: free, or fixed as the matrix has them.")
    ] = "free",
    inverse: Annotated[bool, typer.Option("--inverse", help="The inverse layer.")] = False,
    function: Annotated[
        str, typer.Option(help="The function whose layers are taken. Default: encrypt, permute.")
    ] = "",
    effort: Annotated[
        int,
        typer.Option("--effort", metavar="MILLIONS", min=1, help="Sets of values, at most."),
    ] = 30,
    folder: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", callback=writable_folder, metavar="DIR", help="Write the programs as C."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Search the shortest and the fastest programs of a linear layer.

    A count that is proved least says which space of programs was exhausted (docs/linear-layers.md). A cipher
    whose program multiplies no bytes by a matrix has its layers of bits searched, found in the same program.
    """
    from cipherassay.linear.machines import load as load_machine
    from cipherassay.linear.rows import rows

    if order not in ORDERS:
        raise UsageError("L209", f"the order of the bytes cannot be `{order}`", help=nearest(order, ORDERS))
    chosen = load_machine(machine)
    name, matrices, layers = _matrices(what, function)
    if not matrices:
        _show_bits(what, name, layers, inverse, folder, json)
        return
    if inverse:
        matrices = [matrix.inverse() for matrix in matrices]
    found = [_search(one, chosen, word_size, order == "free", effort, json) for one in matrices]
    files = [_write(name or one.matrix.name, one, folder) for one in found] if folder is not None else []
    if json:
        command = f"assay study linear {what} --machine {machine} --word-size {word_size} --order {order}"
        command += " --inverse" * inverse
        every = [row.as_dict() for one in found for row in rows(one, name, command)]
        write_json({"rows": every, "layers": [_document(one) for one in found], "files": sum(files, [])})
        return
    for one in found:
        _show(one, name)
    for written in files:
        say(f"compiled and compared: {len(written)} programs in {folder}")


def _matrices(what: str, function: str) -> tuple[str, list[Matrix], list[tuple[BitLayer, int]]]:
    """Return the name, and the matrices of bytes that can be searched, or the layers of bits.

    Raises
    ------
    UsageError
        ``L205``: the function has no linear layer.
    """
    from cipherassay.ciphers import load
    from cipherassay.linear import bit_layers, of_cipher, read, slices

    if what.endswith(".toml"):
        return "", [read(Path(what))], []
    described = load(what)
    program, function = described.compile(), function or described.shape.forward
    matrices = [one for one in of_cipher(program, function) if one.is_searched]
    if matrices:
        return described.name, matrices, []
    found = bit_layers.find(program, function)
    layers = found.shapes
    if not layers:
        raise UsageError(
            "L205",
            f"`{function}` of {described.name} has no linear layer over GF(2)",
            notes=[
                f"not linear in it: {found.what_is_not_linear()}", "between these, bits only go straight on",
            ],
            help="choose another function of it, or a cipher with one",
        )
    for layer, _ in layers:
        slices.check(program, layer)
    return described.name, [], layers


def _show_bits(
    what: str,
    cipher: str,
    layers: list[tuple[BitLayer, int]],
    inverse: bool,
    folder: Path | None,
    quiet: bool,
) -> None:
    """Search layers of bits, write and show their exclusive ors."""
    from cipherassay.linear.bit_layers import inverted
    from cipherassay.linear.bit_programs import check_compiled, rows, search, source
    from cipherassay.linear.emitting import function_name

    layers = [(inverted(layer), count) for layer, count in layers] if inverse else layers
    found = []
    with progress("layers of bits", len(layers), quiet=quiet) as bar:
        for layer, _ in layers:
            found.append(search(layer))
            bar.advance(1, layer.name)
    files = []
    if folder is not None:
        names = [function_name(f"{cipher}_layer_{n + 1}".lower()) for n in range(len(found))]
        check_compiled(found, names)
        output_folder(folder)
        for name, one in zip(names, found, strict=True):
            write_file(folder / f"{name}.c", source(one, name))
            files.append(str(folder / f"{name}.c"))
    if quiet:
        command = f"assay study linear {what}" + " --inverse" * inverse
        every = [row.as_dict() for one in found for row in rows(one, cipher, command)]
        write_json({"rows": every, "layers": [_bits_document(one) for one in found], "files": files})
        return
    lines = [
        (one.layer.name, one.layer.behind, one.layer.function, count, one.xors, one.written, one.depth,
         one.bound, one.certificate if one.layer.adds else "bits only move")
        for one, (_, count) in zip(found, layers, strict=True)
    ]  # fmt: skip
    heads = ("layers", "exclusive ors", "as written", "depth", "bound", "")
    columns = ("rows by columns", "behind", "in", *heads)
    show_table(columns, lines, title=f"{cipher}: linear layers of bits")
    say("`layers` counts those of the same shape: sizes, weights of rows and columns")
    if files:
        say(f"compiled and compared: {len(files)} programs in {folder}")


def _bits_document(found: BitProgram) -> dict[str, Any]:
    layer = found.layer
    return {
        "matrix": layer.name, "function": layer.function, "behind": layer.behind, "rows": layer.rows,
        "places": layer.places, "columns": [place for source in layer.sources for place in source.places],
        "xors": found.xors, "written": found.written, "depth": found.depth, "bound": found.bound,
        "certificate": found.certificate, "how": found.how, "steps": found.steps, "outputs": found.wires,
    }  # fmt: skip


def _search(
    matrix: Matrix, machine: Machine, word_bits: int, is_free: bool, effort: int, quiet: bool
) -> LinearResult:
    from cipherassay.linear import search

    stopped = False
    with progress(f"{matrix.name}", 1, quiet=quiet) as bar:

        def tell(line: str) -> bool:
            nonlocal stopped
            try:
                bar.advance(0, line)
            except KeyboardInterrupt:
                signals.finishing()
                stopped = True
            return stopped

        return search(matrix, machine, word_bits, is_free=is_free, most_nodes=effort * 1_000_000, tell=tell)


def _programs(found: LinearResult) -> list[tuple[str, Program]]:
    """Return each program with what it is the best of."""
    programs = [("sums", found.sums.program)]
    programs += [(best.aim, best.program) for best in found.best if best.program is not None]
    return programs


def _write(stem: str, found: LinearResult, folder: Path) -> list[str]:
    from cipherassay.linear.checking import check_compiled
    from cipherassay.linear.emitting import function_name, source

    programs = _programs(found)
    names = [
        function_name(f"{stem}_{found.matrix.name}_{program.word_bits}_{aim}".lower())
        for aim, program in programs
    ]
    check_compiled(found.matrix, [program for _, program in programs], names)
    output_folder(folder)
    for name, (_, program) in zip(names, programs, strict=True):
        write_file(folder / f"{name}.c", source(found.matrix, program, name))
    return [str(folder / f"{name}.c") for name in names]


def _document(found: LinearResult) -> dict[str, Any]:
    from dataclasses import asdict

    sums = found.sums
    return {
        "matrix": found.matrix.name,
        "function": found.matrix.function or None,
        "polynomial": found.matrix.polynomial,
        "rows": found.matrix.rows,
        "machine": found.machine.name,
        "bytes": {
            "program": sums.program.as_document(),
            "counted": sums.program.counted(),
            "xor_bound": sums.xor_bound,
            "reason": sums.reason,
            "efforts": [asdict(effort) for effort in sums.efforts],
        },
        "words": [
            {
                "aim": best.aim,
                "value": best.value,
                "bound": best.bound,
                "certificate": best.certificate,
                "efforts": [asdict(effort) for effort in best.efforts],
                "program": best.program.as_document() if best.program else None,
                "counted": best.program.counted() if best.program else None,
            }
            for best in found.best
        ],
    }


def _show(found: LinearResult, cipher: str) -> None:
    sums, lines = found.sums, list[tuple[Any, ...]]()
    counted = sums.program.counted()
    proof = "proved least" if counted["xors"] == sums.xor_bound else "best found"
    shown = f"{sums.xor_bound} exclusive ors"
    lines.append(("bytes, exclusive ors", len(sums.program.steps), *counted.values(), None, shown, proof))
    for best in found.best:
        program, unit = best.program, best.aim
        counts = tuple(program.counted().values()) if program else (None,) * len(counted)
        cycles = best.value if best.aim == "cycles" else None
        steps = len(program.steps) if program else None
        bound = None if best.certificate == "impossible" else f"{best.bound} {unit}"
        lines.append((f"words, fewest {unit}", steps, *counts, cycles, bound, best.certificate))
    order = "bytes in any order" if found.is_free else "bytes in the matrix's order"
    size = f"{len(found.matrix.rows)} by {found.matrix.columns} bytes"
    machine = f"words of {found.word_bits} bits, {order}, {found.machine.title.lower()}"
    title = f"{cipher + ': ' if cipher else ''}{found.matrix.name}, {size}; {machine}"
    show_table(("program", "operations", *counted, "cycles", "bound", ""), lines, title=title)
    efforts = [*sums.efforts, *(effort for best in found.best for effort in best.efforts)]
    show_table(
        ("exhausted", "programs of up to", "sets", "further"),
        [
            (e.space, "any length" if e.count is None else f"{e.count} {e.what}", sum(e.nodes), e.end)
            for e in efforts
            if e.count != -1
        ],
    )
    for aim, program in _programs(found)[1:] or _programs(found):
        output().print(f"fewest {aim}:", markup=False)
        for line in program.text():
            output().print(f"  {line}", markup=False)
