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

_CODE = "Machine code"
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
CipherNames = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[CIPHER]…", help="Ciphers, or your files; the papers' without it.", show_default=False
    ),
]
Operations = Annotated[
    list[str] | None,
    typer.Option(
        "--operation", metavar="NAME", rich_help_panel=_CODE,
        help="encrypt, decrypt, key_setup_both, …; permute, inverse; may be repeated. Default: all usual.",
    ),
]
Processors = Annotated[
    list[str] | None,
    typer.Option(
        "--processor", "-p", metavar="NAME",
        help="May be repeated. Default: `native`, this machine's C; `java-jit`, `java-interpreted`: Java "
        "beside the C; others: `assay list processors`.",
    ),
]
KeySizes = Annotated[
    list[int] | None,
    typer.Option(
        "--key-bits", metavar="BITS",
        help="May be repeated. Default: all; on modelled processors the first.",
    ),
]
ProcessorName = Annotated[
    str,
    typer.Option(
        "--processor", "-p", metavar="NAME", help="See `assay list processors`.", show_default=False
    ),
]
Variant = Annotated[str, typer.Option("--variant", help="A variant of the cipher.")]
KeyBits = Annotated[int, typer.Option("--key-bits", help="Key size (default: the cipher's first).")]
Strategy = Annotated[str, typer.Option("--strategy", help="Default: the best of those for processors.")]
Loop = Annotated[
    bool,
    typer.Option(
        "--loop/--unrolled", help="Code with loops, or straight-line code.", rich_help_panel=_CODE
    ),
]
LoopOrNot = Annotated[
    bool | None,
    typer.Option(
        "--loop/--unrolled", show_default=False, rich_help_panel=_CODE,
        help="Code with loops, or straight-line code. Default: loops for small processors alone.",
    ),
]
Small = Annotated[
    bool, typer.Option("--small", help="Code with loops in the fewest bytes.", rich_help_panel=_CODE)
]
Without = Annotated[
    list[str] | None,
    typer.Option(
        "--without", metavar="NAME", help="A pass, instruction or recipe not to use.", rich_help_panel=_CODE
    ),
]
OneKey = Annotated[
    str,
    typer.Option(
        "--key", metavar="HEX", help="Code for this key only: round keys are numbers in it.",
        rich_help_panel=_CODE,
    ),
]
Instructions = Annotated[
    Path | None,
    typer.Option(
        "--instruction", metavar="FILE", help="Records `[[instruction]]` that the processor has in addition.",
        rich_help_panel=_CODE,
    ),
]

Layout = Annotated[
    str,
    typer.Option(
        "--layout",
        metavar="NAME",
        help="How tables lie: contiguous, aligned or interleaved; prints what it saves. Default: as kept.",
        rich_help_panel=_CODE,
    ),
]


def form_of(loop: bool, small: bool) -> str:
    """Return the form that the options name."""
    from cipherassay.processors.kernel import FORMS, SMALL

    return SMALL if small else FORMS[loop]


def known_operation(cipher: Cipher, key_bits: int, variant: str, operation: str) -> None:
    """Refuse a word that is no operation, before any work; errors as `processors.kernel.function_of`."""
    from cipherassay.processors.kernel import function_of

    function_of(cipher.compile(key_bits, variant), operation)


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

    known_operation(cipher, key_bits, variant, operation)
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

    known_operation(cipher, key_bits, variant, operation)
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
    help: str = "it is for processors of issue slots: see `assay list processors`",
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
