"""What a firmware engineer gets for a budget of RAM: the assembly, a driver, how to run it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.embedded.budget.choose import needs
from cipherassay.embedded.files import driver, title

if TYPE_CHECKING:
    from cipherassay.embedded.budget.choose import Budgeted

README = """\
# {title} for AVR in at most {budget} bytes of RAM

Made by `{command}`.

| file | what it is |
|---|---|
| `{p}.S` | {what} for keys of {bits} bits |
| `main.c` | a driver: known answers are checked, cycles printed |

Run it (Debian: `apt-get install gcc-avr avr-libc simavr`):

    avr-gcc -mmcu=atmega328p -Os -o {p}.elf main.c {p}.S
    simavr -m atmega328p -f 16000000 {p}.elf

The functions take no arguments. {use}
Key and block stay where they are put; the key is not changed. From C:

    extern uint8_t {p}_key[{key}], {p}_block[16];
    {declared}

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


def files(made: Budgeted, command: str) -> list[tuple[str, str]]:
    """Return names and texts."""
    p = made.prefix
    setup = "key_schedule" in made.functions
    first = f", call `{p}_key_schedule`" if setup else ""
    use = f"Put the key into `{p}_key`{first}; put a block into `{p}_block`, call `{p}_encrypt` or\n"
    use += f"`{p}_decrypt`, and take the result from there."
    ways = [f"| {o} | {c.way.name} | {c.way.calls} | {c.cycles} |" for o, c in made.ways.items()]
    readme = README.format(
        title=title(made), p=p, budget=made.budget, command=command, bits=made.key_bits,
        key=made.key_bits // 8,
        what="key set-up, encryption, decryption" if setup else "encryption and decryption from the key",
        use=use, declared="void " + ", ".join(f"{p}_{f}(void)" for f in made.functions) + ";",
        ways="\n".join(ways), ram=made.ram, needs=", ".join(needs(made)),
    )  # fmt: skip
    return [
        (f"{p}.S", made.assembly()),
        ("main.c", driver(made, setup=setup)),
        ("README.md", readme),
    ]
