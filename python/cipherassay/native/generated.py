"""Generated C on this machine: written, compiled, loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cipherassay.native.harness import FOLDER
from cipherassay.native.loaded import LoadedCipher
from cipherassay.tools.compiler import Compiler, build_shared_library, find_compiler

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher

_GLUE = """\
/* Generated code behind the measuring loop's interface: called through a function, as the libraries are. */
#include "assay.h"
#include "{header}"

static int set_encrypt_key(void *ctx, const uint8_t *key, size_t key_bits)
{{
    return {name}_{forward}_key(({name}_ctx *)ctx, key, key_bits);
}}

static void encrypt_block(const void *ctx, const uint8_t *in, uint8_t *out)
{{
    {name}_{forward}((const {name}_ctx *)ctx, {given}in, out);
}}
{decryption}
const struct assay_cipher assay_{name} = {{
    sizeof({name}_ctx), {block_bytes}, set_encrypt_key, {decrypt_key}, encrypt_block, {decrypt}, 0,
}};
"""
_DECRYPTION = """
static int set_decrypt_key(void *ctx, const uint8_t *key, size_t key_bits)
{{
    return {name}_decrypt_key(({name}_ctx *)ctx, key, key_bits);
}}

static void decrypt_block(const void *ctx, const uint8_t *in, uint8_t *out)
{{
    {name}_decrypt((const {name}_ctx *)ctx, {given}in, out);
}}
"""
_KEYLESS_GLUE = """\
/* Generated code behind the measuring loop's interface: called through a function, without a key. */
#include "assay.h"
#include "{header}"
{blocks}
const struct assay_cipher assay_{name} = {{
    0, {block_bytes}, 0, 0, {forward}_block, {inverse}, 0,
}};
"""
_KEYLESS_BLOCK = """
static void {role}_block(const void *ctx, const uint8_t *in, uint8_t *out)
{{
    (void)ctx;
    {name}_{role}(in, out);
}}
"""


@dataclass(frozen=True)
class GeneratedCode:
    """C files of one cipher, the name that their functions begin with, the bytes of a block."""

    name: str
    files: tuple[tuple[str, str], ...]
    block_bytes: int
    decrypts: bool = True
    keyed: bool = True
    forward: str = "encrypt"
    """What it does with a block."""
    output_bytes: int = 0
    """Bytes that it makes of a block; 0: as many."""
    tweaked: bool = False
    """Whether a tweak lies behind the block."""

    @property
    def header(self) -> str:
        """Name of the header file."""
        return next(file for file, _ in self.files if file.endswith(".h"))


def generate(
    cipher: Cipher,
    key_bits: Sequence[int] = (),
    strategy: str = "",
    variant: str = "",
    key: bytes | None = None,
) -> GeneratedCode:
    """Write the C of a cipher (default: all its key sizes, its own strategy); errors as of `emit_c`."""
    from cipherassay import strategies

    files = tuple(strategies.emit_c(cipher, key_bits, strategy, variant, key))
    header = next(file for file, _ in files if file.endswith(".h"))
    forward, *backward = cipher.directions
    size, output = cipher.sizes
    return GeneratedCode(
        header.removesuffix(".h"), files, size, bool(backward), cipher.keyed, forward, output,
        bool(cipher.tweak_bytes),
    )  # fmt: skip


def build(
    code: GeneratedCode, *, compiler: Compiler | None = None, flags: Sequence[str] | None = None
) -> LoadedCipher:
    """Compile and load generated code.

    Raises
    ------
    ToolError
        There is no C compiler, or it fails (N002 to N004).
    """
    compiler = compiler or find_compiler("c")
    sources = dict(code.files) | {
        "assay_glue.c": _glue(code),
        "assay.h": (FOLDER / "assay.h").read_text(),
    }
    library = build_shared_library(code.name, sources, compiler=compiler, flags=flags)
    return LoadedCipher(library, f"assay_{code.name}", code.output_bytes)


def _glue(code: GeneratedCode) -> str:
    """Return the C between the code and the measuring loop, with null pointers for what there is not: what
    makes keys, what decrypts."""
    if not code.keyed:
        backwards = _KEYLESS_BLOCK.format(name=code.name, role="inverse") if code.decrypts else ""
        return _KEYLESS_GLUE.format(
            name=code.name, header=code.header, block_bytes=code.block_bytes, forward=code.forward,
            blocks=_KEYLESS_BLOCK.format(name=code.name, role=code.forward) + backwards,
            inverse="inverse_block" if code.decrypts else "0",
        )  # fmt: skip
    given = f"in + {code.output_bytes}, " if code.tweaked else ""
    return _GLUE.format(
        given=given, name=code.name, header=code.header, block_bytes=code.block_bytes, forward=code.forward,
        decryption=_DECRYPTION.format(name=code.name, given=given) if code.decrypts else "",
        decrypt_key="set_decrypt_key" if code.decrypts else "0",
        decrypt="decrypt_block" if code.decrypts else "0",
    )  # fmt: skip
