"""What a firmware engineer gets for a budget of RAM on MCS-51: assembly, a driver, how to run it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.ciphers import argument
from cipherassay.embedded.budget.files import filled
from cipherassay.embedded.measuring import options
from cipherassay.embedded.processors.mcs51.files import driver

if TYPE_CHECKING:
    from cipherassay.embedded.budget.choose import BudgetResult

README = """\
# {title} for MCS-51 in at most {budget} bytes of RAM

Made by `{command}`.

| file | what it is |
|---|---|
| `{p}.asm` | {operations} for keys of {bits} bits |
| `main.c` | a driver for an 8052: known answers are checked |

Run it (Debian: `apt-get install sdcc sdcc-ucsim`):

```sh
sdas8051 -plosgff {p}.asm
sdcc -mmcs51 --iram-size 256 main.c {p}.rel -o main.ihx
s51 -b -q -t C52 -S uart=0,in=/dev/null,out=out.txt -G main.ihx
cat out.txt
```

It prints

```text
{checks} of {checks} known answers right
```

Check known answers, count cycles and RAM from Cipherassay:

```sh
{measure}
```

The functions take no arguments and are called by `lcall`.
{use}
{stay}
From C (SDCC), where names have an underscore more:

```c
extern __data unsigned char {p}_key[{key}], {p}_block[{block}];
{declared}
```

Register bank 0 must be chosen; no register is kept. The functions are not reentrant: their working memory
is static. Cycles are machine cycles of 12 clocks.

| operation | round keys | runs of the key schedule | cycles, call to return |
|---|---|---:|---:|
{ways}

RAM: {ram} bytes, all internal: {needs}.
That is all that the functions touch; the driver's own variables are not in it.
What lies in the area `DSEG` is where direct addresses reach.
"""


def files(made: BudgetResult, command: str) -> list[tuple[str, str]]:
    """Return names and texts."""
    measure = f"assay measure {argument(made.cipher)} --processor mcs51 --key-bits {made.key_bits}"
    measure += f"{options(made.variant)} --ram {made.budget}"
    return [
        (f"{made.prefix}.asm", made.assembly()),
        ("main.c", driver(made, setup="key_schedule" in made.functions)),
        ("README.md", filled(README, made, command, measure=measure)),
    ]
