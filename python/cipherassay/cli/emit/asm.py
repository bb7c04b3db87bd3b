"""`assay emit asm`: an operation of a cipher as assembly text of a modelled processor."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.cli.emit.functions import emit_functions
from cipherassay.cli.emit.small import emit_budgeted, emit_small
from cipherassay.cli.emit.x86 import emit_x86
from cipherassay.console.kernel import (
    CipherName,
    Instructions,
    KeyBits,
    LoopOrNot,
    Operation,
    ProcessorName,
    Small,
    Strategy,
    Variant,
    Without,
    form_of,
    kernel_of,
    known_names,
    refuse_options,
)
from cipherassay.console.options import writable_file, writable_place
from cipherassay.console.output import Json, output, write_file, write_json
from cipherassay.console.processor import Addressing, Folder, MemoryPorts, Settings, Width, chosen
from cipherassay.console.progress import say
from cipherassay.console.small import Ram, Tables, refuse_tables

if TYPE_CHECKING:
    from cipherassay.processors.harness import Interface, Object
    from cipherassay.processors.kernel import Kernel
    from cipherassay.processors.simulating import Image


def emit_asm(
    cipher: CipherName,
    processor: ProcessorName,
    operation: Operation = "",
    file: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            callback=writable_place,
            metavar="FILE",
            help="Default: standard output. Without an operation a folder: all of them, how to run them.",
        ),
    ] = None,
    memory: Annotated[
        Path | None,
        typer.Option(
            "--memory",
            callback=writable_file,
            metavar="FILE",
            help="Write the memory of a call as well: tables, zeros elsewhere.",
        ),
    ] = None,
    variant: Variant = "",
    key_bits: KeyBits = 0,
    strategy: Strategy = "",
    loop: LoopOrNot = None,
    small: Small = False,
    without: Without = None,
    instruction: Instructions = None,
    path: Folder = None,
    settings: Settings = None,
    width: Width = None,
    memory_ports: MemoryPorts = None,
    addressing: Addressing = None,
    ram: Ram = None,
    tables: Tables = "",
    json: Json = False,
) -> None:
    """Write scheduled assembly text, or functions for C.

    How a kernel is called stands in comments above it. For a small processor (`avr`, …) and the Pentiums no
    operation is named: key setup, encryption, decryption are one file. Nor need it be where the instruction
    set's file says how C calls functions: then a folder has functions, header, driver and README.
    """
    from cipherassay.embedded import processors
    from cipherassay.review import load_right
    from cipherassay.x86 import model as x86

    described = load_right(cipher)
    key_bits = described.key_size(key_bits)
    others: dict[str, Any] = {
        "small": small, "without": without, "instruction": instruction, "path": path, "set": settings,
        "width": width, "memory-ports": memory_ports, "addressing": addressing, "memory": memory,
    }  # fmt: skip
    if ram is not None or processor in processors.names():
        refuse_options(processor, others | {"strategy": strategy})
    if ram is not None:
        refuse_tables(tables, "code within a budget of RAM")
        emit_budgeted(described, processor, operation, file, key_bits, variant, ram, json=json)
        return
    if processor in processors.names():
        emit_small(
            described, processor, operation, file, key_bits, variant, unrolled=loop is False, tables=tables,
            json=json,
        )  # fmt: skip
        return
    refuse_tables(tables, f"`{processor}`")
    if processor in x86.names():
        refuse_options(processor, others | {"loop": loop, "unrolled": loop is False})
        emit_x86(described, processor, operation, file, key_bits, variant, strategy, json=json)
        return
    model = chosen(
        processor, path, settings, instructions=instruction,
        width=width, memory_ports=memory_ports, addressing=addressing,
    )  # fmt: skip
    avoided = known_names(without, model, path, instruction)
    if not operation:
        refuse_options(processor, {"memory": memory}, help="it is for one operation: encrypt, …")
        options = [word for value in settings or () for word in ("--set", value)]
        options += [f"--path {path}"] if path else []
        options += [f"--instruction {instruction}"] if instruction else []
        form = form_of(bool(loop), small)
        emit_functions(
            described, model, file, key_bits, variant, strategy, form, avoided, options, json=json
        )  # fmt: skip
        return
    kernel = kernel_of(
        described, operation, model, variant=variant, key_bits=key_bits, strategy=strategy, loop=bool(loop),
        small=small, without=avoided,
    )  # fmt: skip
    text = heading(kernel) + kernel.text
    if memory is not None:
        _, image = memory_of(kernel)
        write_file(memory, image.memory)
        arguments = _options(image.arguments)
        say(f"wrote {memory}: {len(image.memory)} bytes for `assay simulate --memory`, {arguments}")
    if file is not None:
        write_file(file, text)
        say(f"wrote {file}: {kernel.cycles} cycles")
    if json:
        known = {"cipher": described.slug, "operation": operation, "processor": kernel.processor.name}
        place = {"file": str(file)} if file is not None else {"text": text}
        write_json({**known, "cycles": kernel.cycles, **place})
    elif file is None:
        output().file.write(text)


def heading(kernel: Kernel) -> str:
    """Return comments that say how the kernel is called: its pointers and the memory behind them."""
    from cipherassay.processors.sizes import binutils

    mark = kernel.text.split(" ", 1)[0]
    lines = [
        f"{kernel.cycles} cycles; {kernel.choice}",
        *_arguments(kernel.interface),
        f"Each object begins at a multiple of {kernel.interface.alignment} bytes, or where it is said to.",
        "Not callable from C as it is: pointers come in the registers above, and no register is kept.",
    ]
    if assembler := binutils(kernel):
        options = " ".join(assembler.assembler)
        lines.append(f"Assemble it: {assembler.command('as')} {options} -o kernel.o FILE")
    arguments = _options(memory_of(kernel)[1].arguments)
    lines.append("Simulate it with the memory that `assay emit asm … --memory IMAGE` writes:")
    lines.append(f"assay simulate FILE --processor {kernel.processor.name} --memory IMAGE {arguments}")
    return "".join(f"{mark} {line}\n" for line in lines)


def _arguments(interface: Interface) -> list[str]:
    lines = []
    for register, pointer in zip(interface.registers, interface.pointers, strict=False):
        one = interface.objects[pointer.object]
        at = f"byte {pointer.offset} of " if pointer.offset else ""
        lines.append(f"{register} -> {at}{one.role} {one.name}: {_shape(one)}")
    for one in interface.objects:
        if one.base is not None:
            other, distance = one.base
            near = interface.objects[other].name
            lines.append(f"{one.role} {one.name}, {distance} bytes after {near}: {_shape(one)}")
    return lines


def _shape(one: Object) -> str:
    every = f" every {one.stride} bytes" if one.stride != one.element else ""
    packed = "" if one.packing == "none" else f", made from bytes in {one.packing}-endian order"
    return f"{one.length} words of {8 * one.element} bits{every}{packed}"


def memory_of(kernel: Kernel) -> tuple[list[bytes], Image]:
    """Return arguments of the kernel's program that are all zeros, and the memory of a call with them."""
    from cipherassay.processors.simulating import image

    objects = kernel.interface.objects
    sizes = {one.number: _zeros(one) for one in objects if one.role == "parameter"}
    zeros = [bytes(sizes.get(number, 0)) for number in range(1 + max(sizes, default=-1))]
    return zeros, image(kernel.interface, zeros)


def _zeros(one: Object) -> int:
    """Return how many elements of the program's argument an object is made from."""
    return one.length * (1 if one.packing == "none" else one.element)


def _options(arguments: tuple[int, ...]) -> str:
    return " ".join(f"--argument {value:#x}" for value in arguments)
