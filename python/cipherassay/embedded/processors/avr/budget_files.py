"""What a firmware engineer gets for a budget of RAM on AVR: the assembly, a driver, how to run it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.embedded.budget.files import filled
from cipherassay.embedded.processors.avr.files import driver

if TYPE_CHECKING:
    from cipherassay.embedded.budget.choose import BudgetResult

README = """\
# {title} for AVR in at most {budget} bytes of RAM

Made by `{command}`.

| file | what it is |
|---|---|
| `{p}.S` | {operations} for keys of {bits} bits |
| `main.c` | a driver: known answers are checked, cycles printed |

Run it (Debian: `apt-get install gcc-avr avr-libc simavr`):

```sh
avr-gcc -mmcu=atmega328p -Os -o {p}.elf main.c {p}.S
simavr -m atmega328p -f 16000000 {p}.elf
```

It prints cycles and

```text
{p}: {checks} of {checks} known answers right
```

The functions take no arguments. {use}
{stay} From C:

```c
extern uint8_t {p}_key[{key}], {p}_block[{block}];
{declared}
```

The functions keep the registers that avr-gcc wants kept. They are not reentrant: their working memory is
static. The driver's cycles count from the call to the return, less those of an empty function's call; the
timer's interrupts, one every 65536 cycles, are in them.

| operation | round keys | runs of the key schedule | cycles, call to return |
|---|---|---:|---:|
{ways}

RAM: {ram} bytes: {needs}.
That is all that the functions touch; the driver's own RAM (`printf`) is not in it. Tables lie in flash, each
at a multiple of 256, within the first 64 KiB.
"""


def files(made: BudgetResult, command: str) -> list[tuple[str, str]]:
    """Return names and texts."""
    return [
        (f"{made.prefix}.S", made.assembly()),
        ("main.c", driver(made, setup="key_schedule" in made.functions)),
        ("README.md", filled(README, made, command)),
    ]
