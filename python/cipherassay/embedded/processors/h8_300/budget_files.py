"""What a firmware engineer gets for a budget of RAM on H8/300: assembly, a script for the linker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.ciphers import argument
from cipherassay.embedded.budget.files import filled
from cipherassay.embedded.measuring import options
from cipherassay.embedded.processors.h8_300.text import script

if TYPE_CHECKING:
    from cipherassay.embedded.budget.choose import BudgetResult

README = """\
# {title} for H8/300 in at most {budget} bytes of RAM

Made by `{command}`.

| file | what it is |
|---|---|
| `{p}.s` | {operations} for keys of {bits} bits |
| `{p}.ld` | a script for the linker: places on an H8/3337, the page of every table |

Assemble and link it (Debian: `apt-get install binutils-h8300-hms`):

```sh
h8300-hms-as -o {p}.o {p}.s
h8300-hms-ld -T {p}.ld -e {p}_encrypt -o {p}.out {p}.o
h8300-hms-objdump -d {p}.out
```

Check known answers, count states and RAM in the simulator of Cipherassay:

```sh
{measure}
```

The functions take no arguments and are called by `jsr`.
{use}
{stay} r4 to r6 are kept. The functions are not
reentrant: their working memory is static.

| operation | round keys | runs of the key schedule | states, call to return |
|---|---|---:|---:|
{ways}

RAM: {ram} bytes: {needs}.
That is all that the functions touch. What lies in the section `.short` must be within H'FF00 to H'FFFF,
where 8-bit absolute addresses reach. Tables lie in ROM and begin at multiples of 256; a symbol
`page_table_NAME`, the upper byte of a table's address, is defined by the linker's script.
"""


def files(made: BudgetResult, command: str) -> list[tuple[str, str]]:
    """Return names and texts."""
    text = made.assembly()
    measure = f"assay measure {argument(made.cipher)} --processor h8-300 --key-bits {made.key_bits}"
    measure += f"{options(made.variant)} --ram {made.budget}"
    return [
        (f"{made.prefix}.s", text),
        (f"{made.prefix}.ld", script(text)),
        ("README.md", filled(README, made, command, measure=measure)),
    ]
