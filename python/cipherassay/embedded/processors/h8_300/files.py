"""What a firmware engineer gets for H8/300: assembly, a linker's script, how to assemble and simulate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.ciphers import argument
from cipherassay.embedded.files import facts, more_setup, use
from cipherassay.embedded.measuring import options
from cipherassay.embedded.processors.h8_300.text import script

if TYPE_CHECKING:
    from cipherassay.embedded.build import AssembledCipher

README = """\
# {title} for H8/300

Made by `{command}`.

| file | what it is |
|---|---|
| `{p}.s` | {contents} |
| `{p}.ld` | a script for the linker: places on an H8/3337, the page of every table |

Assemble and link it (Debian: `apt-get install binutils-h8300-hms`):

```sh
h8300-hms-as -o {p}.o {p}.s
h8300-hms-ld -T {p}.ld -e {p}_{forward} -o {p}.out {p}.o
h8300-hms-objdump -d {p}.out
```

Check known answers and count states in the simulator of Cipherassay:

```sh
{measure}
```

The functions take no arguments and are called by `jsr`. {use} \
r4 to r6 are kept. The functions are not reentrant: their
working memory is static.

RAM in bytes: {ram}; the functions share what ends in `_spill`. What lies in the section `.short` must be
within H'FF00 to H'FFFF, where 8-bit absolute addresses reach. Tables begin at multiples of 256. A symbol
`page_table_NAME` is the upper byte of a table's address; the linker's script defines it.
"""
USE = """\
Put the key into `{p}_key`, call
`{p}_key_schedule`; put {what} into `{p}_block`, call {calls}, and take the result
from there. The round keys stay in `{p}_keys`."""


def files(made: AssembledCipher, command: str) -> list[tuple[str, str]]:
    """Return names and texts."""
    p = made.prefix
    ram = ", ".join(f"`{name}` {size}" for name, size in made.assembly.objects.items())
    given = made.cipher.key_option(made.key_bits) + options(made.variant, unrolled=made.unrolled)
    measure = f"assay measure {argument(made.cipher)} --processor h8-300{given}"
    readme = README.format(**facts(made), command=command, measure=measure, ram=ram, use=use(made, USE))
    readme += more_setup(made)
    return [(f"{p}.s", made.assembly.text), (f"{p}.ld", script(made.assembly.text)), ("README.md", readme)]
