"""What `assay emit asm` writes for x86-32: assembly, a driver that checks known answers, how to run it."""

from __future__ import annotations

from collections.abc import Sequence

from cipherassay.vectors.drivers import Calls, driver
from cipherassay.vectors.single_blocks import single_blocks
from cipherassay.x86.kernel import Kernel
from cipherassay.x86.text import source

_README = """\
# {title} for x86-32

Made by `{command}`.

| file | what it is |
|---|---|
| `{p}.s` | key setup, encryption, decryption for keys of {bits} bits |
| `main.c` | a driver: known answers are checked |

Run it (Debian: `apt-get install gcc-multilib`):

```sh
gcc -m32 -no-pie -o {p} main.c {p}.s
./{p}
```

It prints:

```text
{p}: {checks} of {checks} known answers right
```

The functions take no arguments. Put the key into `{p}_key`, call {setup};
put a block into `{p}_block`, call `{p}_encrypt` or `{p}_decrypt`, and take the result from there.
{keys}
They keep the registers that a C caller wants kept, and are not reentrant: their working memory is static.

| operation | cycles | micro-operations | instructions | bytes of code | bytes of tables |
|---|---|---|---|---|---|
{rows}

Cycles are those of the model of the {processor} if every access hits the data cache, from the first
micro-operation's renaming to the last one's retirement, without call, saved registers and return.
"""

_SHARED = "The round keys stay in `{p}_keys`."
_SEPARATE = """\
The round keys stay in `{p}_keys`, those of decryption in `{p}_keys_decrypt`;
a direction that is not used needs no key setup."""


def files(kernels: Sequence[Kernel], command: str) -> list[tuple[str, str]]:
    """Return names and texts; the kernels are those of one cipher: key setups, encryption, decryption."""
    head = kernels[0]
    p, title = head.prefix, f"{head.cipher.name}, keys of {head.key_bits} bits"
    setups = [f"{p}_{k.operation}" for k in kernels if k.operation.startswith("key")]
    blocks = single_blocks(head.cipher, head.key_bits, head.variant)
    calls = Calls(
        declarations=[
            f"extern unsigned char {p}_key[KEY], {p}_block[BLOCK];",
            *(f"extern void {p}_{k.operation}(void);" for k in kernels),
        ],
        setups=[f"{name}();" for name in setups], encrypt=[f"{p}_encrypt();"], decrypt=[f"{p}_decrypt();"],
        key=f"{p}_key", block=f"{p}_block", encrypted=f"{p}_block", decrypted=f"{p}_block",
    )  # fmt: skip
    table = "\n".join(
        f"| {k.operation} | {k.fitted.cycles:g} | {k.fitted.operations} | {len(k.code)} "
        f"| {k.code_bytes} | {k.table_bytes} |"
        for k in kernels
    )
    readme = _README.format(
        title=title, p=p, bits=head.key_bits, command=command, rows=table, processor=head.model.title,
        setup=" and ".join(f"`{name}`" for name in setups), checks=2 * len(blocks),
        keys=_SEPARATE.format(p=p) if len(setups) > 1 else _SHARED.format(p=p),
    )  # fmt: skip
    return [
        (f"{p}.s", source(kernels)),
        ("main.c", driver(title, p, blocks, calls)),
        ("README.md", readme),
    ]
