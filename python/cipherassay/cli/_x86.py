"""x86-32 kernels at the command line: `assay emit asm` and `assay schedule` for the Pentiums."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.cli._common import write_files, write_json
from cipherassay.cli._judged import show_judged
from cipherassay.errors import DescriptionError, UsageError

if TYPE_CHECKING:
    from cipherassay._engine import MicroOpsRun
    from cipherassay.ciphers import Cipher
    from cipherassay.x86.kernel import Kernel
    from cipherassay.x86.model import Model

SEARCH = 20000
"""Moves of `--select search`."""


def emit_x86(
    cipher: Cipher,
    processor: str,
    operation: str,
    folder: Path | None,
    key_bits: int,
    variant: str,
    strategy: str,
    *,
    json: bool,
) -> None:
    """Write a cipher for x86-32: all operations, a driver, a README."""
    from cipherassay.ciphers import argument
    from cipherassay.x86.files import files

    if operation:
        raise UsageError(
            "X003",
            f"`{processor}` takes no operation, not `{operation}`",
            help="all are written into one file",
        )
    kernels = _all(cipher, processor, key_bits, variant, strategy)
    options = (f" --variant {variant}" if variant else "") + (f" --strategy {strategy}" if strategy else "")
    command = (
        f"assay emit asm {argument(cipher)} --processor {processor} --key-bits {key_bits}{options} -o DIR"
    )
    about = {"cipher": cipher.slug, "processor": processor, "key_bits": key_bits}
    write_files(folder or Path(), files(kernels, command), about, json=json)


def _all(cipher: Cipher, processor: str, key_bits: int, variant: str, strategy: str) -> list[Kernel]:
    """Return the kernels of all operations, of the form of the cipher that encrypts in the fewest cycles.

    Operations share the round keys: strategies may differ where they make the same ones.
    """
    from cipherassay.x86 import model
    from cipherassay.x86.kernel import applicable, by_form

    machine = model.load(processor)
    forms = by_form(cipher, [strategy] if strategy else applicable(cipher))
    found: list[list[Kernel]] = []
    refused: list[DescriptionError] = []
    for names in forms.values():
        try:
            found.append(_of_one_form(cipher, machine, key_bits, variant, names))
        except DescriptionError as error:
            refused.append(error)
    if not found:
        raise refused[0]
    return min(found, key=lambda kernels: kernels[-2].fitted.cycles)


def _of_one_form(
    cipher: Cipher, machine: Model, key_bits: int, variant: str, names: list[str]
) -> list[Kernel]:
    """Return key setups, encryption, decryption, all of programs that make the same round keys."""
    from cipherassay.x86.kernel import best, function_of

    one = partial(best, cipher, model=machine, key_bits=key_bits, variant=variant, among=names)
    blocks = [one(operation="encrypt"), one(operation="decrypt")]
    program = blocks[0].program
    schedules = [function_of(program, f"key_setup_{direction}") for direction in ("encrypt", "decrypt")]
    setups = [one(operation="key_setup_encrypt")]
    setups += [one(operation="key_setup_decrypt")] if schedules[0] != schedules[1] else []
    key = bytes(range(key_bits // 8))
    for kernel, schedule in [*zip(setups, schedules, strict=False), (blocks[1], schedules[1])]:
        if kernel.program.evaluate(schedule, [key]) != program.evaluate(schedule, [key]):
            return _of_one_form(cipher, machine, key_bits, variant, [blocks[0].strategy])
    return [*setups, *blocks]


def schedule_x86(
    cipher: Cipher,
    operation: str,
    processor: str,
    key_bits: int,
    variant: str,
    strategy: str,
    *,
    loop: bool,
    key: bytes,
    search: bool,
    json: bool,
) -> None:
    """Make a kernel for x86-32, have it judged and simulated, and show what came out.

    With ``loop`` of the strategies that keep rounds as loops, with a key for this key alone.
    """
    from cipherassay.x86 import model
    from cipherassay.x86.checking import judged
    from cipherassay.x86.fitting import Effort
    from cipherassay.x86.kernel import best, looping

    one = partial(
        best, cipher, operation, model.load(processor), key_bits=8 * len(key) or key_bits, variant=variant,
        key=key.hex(),
    )  # fmt: skip
    effort = Effort(moves=SEARCH) if search else None
    kernel = one(strategy=strategy, among=looping(cipher) if loop else (), effort=effort)
    runs, judges = judged(kernel)
    known = document(kernel, runs, judges)
    if json:
        write_json(known)
    else:
        _show(known)


def document(kernel: Kernel, runs: list[MicroOpsRun], judges: str) -> dict[str, Any]:
    """Return everything that is known of a kernel as a document; cycles are the average of the runs."""
    from cipherassay.x86.rows import published

    cycles = sum(run["cycles"] for run in runs) / len(runs)
    paper = published(kernel)
    bits = kernel.cipher.block_bits if kernel.operation in ("encrypt", "decrypt") else 0
    return {
        "cipher": kernel.cipher.name,
        "operation": kernel.operation,
        "key_bits": kernel.key_bits,
        "variant": kernel.variant,
        "processor": kernel.model.name,
        "cycles": round(cycles, 1),
        "cycles_without_misses": kernel.fitted.cycles,
        "misses": round(sum(run["misses"] for run in runs) / len(runs), 1),
        "text_misses": round(sum(run["text_misses"] for run in runs) / len(runs), 1),
        "mbit_per_second": round(bits * kernel.model.mhz / cycles, 1) if bits else None,
        "operations": kernel.fitted.operations,
        "ipc": round(kernel.fitted.operations / cycles, 4),
        "instructions": len(kernel.code),
        "code_bytes": kernel.code_bytes,
        "table_bytes": kernel.table_bytes,
        "spilled_bytes": kernel.fitted.spilled,
        "loops": len(kernel.labels),
        "strategy": kernel.strategy,
        "key": kernel.key,
        "circuits": kernel.circuits,
        "judges": judges,
        "published": paper and {
            "cycles": paper.value, "ratio": round(cycles / paper.value, 3),
            "source": f"{paper.paper}, {paper.where}",
        },
    }  # fmt: skip


def _show(known: dict[str, Any]) -> None:
    names = {
        "cycles": "cycles, average over random inputs",
        "cycles_without_misses": "cycles if every access hits the caches",
        "misses": "misses of the data cache", "text_misses": "misses of the instruction cache",
        "mbit_per_second": "Mbit/s",
        "operations": "micro-operations", "ipc": "micro-operations a cycle",
        "instructions": "instructions", "code_bytes": "bytes of code", "table_bytes": "bytes of tables",
        "spilled_bytes": "bytes of spilled values", "loops": "loops", "strategy": "strategy",
    }  # fmt: skip
    show_judged(known, names)
