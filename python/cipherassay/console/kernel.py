"""What the verbs about kernels share: the options that name one, and its making."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.errors import UsageError, nearest

if TYPE_CHECKING:
    from cipherassay._engine import Processor
    from cipherassay.lang.cipher import Cipher
    from cipherassay.processors.kernel import Kernel

CipherName = Annotated[
    str, typer.Argument(metavar="CIPHER", help="A cipher's name, or a cipher file.", show_default=False)
]
Operation = Annotated[
    str,
    typer.Argument(
        metavar="OPERATION",
        help="encrypt, decrypt, key_setup_encrypt, key_setup_decrypt or key_setup_both; permute or inverse.",
        show_default=False,
    ),
]
ProcessorName = Annotated[
    str, typer.Option("--processor", "-p", help="A model: see `assay processor list`.", show_default=False)
]
Variant = Annotated[str, typer.Option("--variant", help="A variant of the cipher.")]
KeyBits = Annotated[int, typer.Option("--key-bits", help="Key size (default: the cipher's first).")]
Strategy = Annotated[str, typer.Option("--strategy", help="Default: the best of those for processors.")]
Loop = Annotated[bool, typer.Option("--loop/--unrolled", help="Code with loops, or straight-line code.")]
Small = Annotated[bool, typer.Option("--small", help="Code with loops in the fewest bytes.")]
Without = Annotated[
    list[str] | None,
    typer.Option("--without", metavar="NAME", help="A pass, instruction or recipe that is not to be used."),
]
OneKey = Annotated[
    str,
    typer.Option(
        "--specialize-key", metavar="HEX", help="Code for this key only: round keys are numbers in it."
    ),
]
Instructions = Annotated[
    Path | None,
    typer.Option(
        "--instruction", metavar="FILE", help="Records `[[instruction]]` that the processor has in addition."
    ),
]

Layout = Annotated[
    str,
    typer.Option(
        "--layout",
        metavar="NAME",
        help="How tables lie: contiguous, aligned or interleaved; prints what it saves. Default: as kept.",
    ),
]


def form_of(loop: bool, small: bool) -> str:
    """Return the form that the options name."""
    from cipherassay.processors.kernel import FORMS, SMALL

    return SMALL if small else FORMS[loop]


def search_choice(
    cipher: Cipher,
    operation: str,
    processor: Processor,
    *,
    variant: str,
    key_bits: int,
    loop: bool,
    small: bool = False,
) -> None:
    """Search strategies, circuits and instructions for a kernel and keep the best choice."""
    from cipherassay.processors.exploring import search
    from cipherassay.processors.kernel import function_of

    function_of(cipher.compile(key_bits, variant), operation)
    form = form_of(loop, small)
    for _ in search(cipher, operation, processor, form=form, variant=variant, key_bits=key_bits):
        pass


def kernel_of(
    cipher: Cipher,
    operation: str,
    processor: Processor,
    *,
    variant: str,
    key_bits: int,
    strategy: str,
    loop: bool,
    small: bool = False,
    without: Sequence[str] = (),
    key: str = "",
) -> Kernel:
    """Return the kernel that the options name.

    Raises
    ------
    UsageError
        M718: the key is not hexadecimal, or the operation is a key setup; others as
        `cipherassay.processors.exploring.best`.
    """
    from cipherassay.processors.exploring import best
    from cipherassay.processors.kernel import function_of

    function_of(cipher.compile(key_bits, variant), operation)  # unknown words are refused before any work
    form = form_of(loop, small)
    given = one_key(key, operation)
    key_bits = 8 * len(given) or key_bits
    return best(
        cipher, operation, processor,
        key_bits=key_bits, variant=variant, form=form, strategy=strategy, avoid=without, key=given,
    )  # fmt: skip


def refuse_options(
    processor: str,
    given: dict[str, Any],
    help: str = "it is for processors of issue slots: see `assay processor list`",
) -> None:
    """Raise UsageError ``M719`` for the first option that is given and that a processor does not have."""
    for name, value in given.items():
        if value:
            raise UsageError("M719", f"`--{name}` says nothing for `{processor}`", help=help)


def known_names(
    without: Sequence[str] | None, processor: Processor, path: Path | None, instructions: Path | None = None
) -> tuple[str, ...]:
    """Return what a kernel is to be made without; raises UsageError ``M709`` for a name that is none."""
    from cipherassay.processors.savings import avoidable

    if without:
        known = avoidable(processor, path=path, instructions=instructions)
        for name in without:
            if name not in known:
                raise UsageError(
                    "M709",
                    f"`--without {name}`: no pass, instruction or recipe of `{processor.name}` is called so",
                    help=nearest(name, known),
                )
    return tuple(without or ())


def one_key(text: str, operation: str) -> bytes:
    """Return the key that code is to be made for; empty if it serves all."""
    from cipherassay.lang.shapes import BLOCK_OPERATIONS

    if text and operation not in BLOCK_OPERATIONS:
        raise UsageError("M718", "code for one key has no key setup", help="the operation encrypt or decrypt")
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise UsageError("M734", f"`{text}` is not a key", help="two hexadecimal digits per byte") from None
