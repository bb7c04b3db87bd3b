"""What a firmware engineer gets for AVR: the assembly, a driver that checks known answers, how to run it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.embedded.build import SEPARATE
from cipherassay.embedded.files import answers, facts, more_setup, setups, use

if TYPE_CHECKING:
    from cipherassay.embedded.build import AssembledCipher
    from cipherassay.embedded.measuring import CipherCode

DRIVER = """\
/* Checks known answers of {title} and prints cycles of calls: {timed}.
 * Output by the first serial port; simavr prints it. Ends by sleeping with interrupts off.
 */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>
#include <avr/sleep.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

{sizes}
#define ANSWERS {answers}

extern uint8_t {arrays};
{declare}
/* {parts} */
static const uint8_t known[ANSWERS][{record}] PROGMEM = {{
{vectors}
}};

static volatile uint16_t overflows;
ISR(TIMER1_OVF_vect) {{ overflows++; }}

static int put(char c, FILE *stream) {{
    (void)stream;
    while (!(UCSR0A & (1 << UDRE0))) {{ }}
    UDR0 = c;
    return 0;
}}
static FILE serial = FDEV_SETUP_STREAM(put, NULL, _FDEV_SETUP_WRITE);

static void nothing(void) {{ }}

static uint32_t timed(void (*function)(void)) {{
    overflows = 0;
    TIFR1 = 1 << TOV1;
    TCNT1 = 0;
    function();
    uint16_t low = TCNT1;
    return (uint32_t)overflows << 16 | low;
}}

static uint8_t same(uint8_t answer, uint8_t at) {{
    return memcmp_P({p}_block, known[answer] + at, {output}) == 0;
}}

int main(void) {{
    UCSR0B = 1 << TXEN0;
    stdout = &serial;
    TCCR1B = 1;
    TIMSK1 = 1 << TOIE1;
    sei();
    uint8_t right = 0;
    uint32_t call = timed(nothing), {zero};
    for (uint8_t n = 0; n < ANSWERS; n++) {{
{run}    }}
    printf("{p}: %u of %u known answers right\\n", right, {checked});
    printf("cycles: {shown}\\n", {value});
    cli();
    sleep_mode();
    return 0;
}}
"""

README = """\
# {title} for AVR

Made by `{command}`.

| file | what it is |
|---|---|
| `{p}.S` | {contents} |
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

The functions take no arguments. {use} From C:

```c
extern uint8_t {objects};
void {declared};
```

The functions keep the registers that avr-gcc wants kept. They are not reentrant: their working memory is
static. The driver's cycles count from the call to the return, less those of an empty function's call; the
timer's interrupts, one every 65536 cycles, are in them.

RAM in bytes: {ram}. {tables}
"""
USE = """\
Put the key into `{p}_key`, call `{p}_key_schedule`; put {what} into
`{p}_block`, call {calls}, and take the result from there. The round keys stay in
`{p}_keys`."""
TABLES = "Tables lie in flash, each at a multiple of 256, within the first 64 KiB."
IN_RAM = """\
Tables lie in RAM as well, each at a multiple of 256; they are copied there from flash before `main`."""


def files(made: AssembledCipher, command: str) -> list[tuple[str, str]]:
    """Return names and texts."""
    p = made.prefix
    ram = ", ".join(f"`{name}` {size}" for name, size in made.assembly.objects.items())
    readme = README.format(
        **facts(made), command=command, ram=ram, use=use(made, USE),
        tables=IN_RAM if made.processor.placed else TABLES,
    )  # fmt: skip
    readme += more_setup(made)
    return [(f"{p}.S", made.assembly.text), ("main.c", driver(made)), ("README.md", readme)]


_RUN = {
    "key_schedule": "        setup = timed({p}_key_schedule) - call;\n",
    SEPARATE: f"        {{p}}_{SEPARATE}();\n",
}
"""What the driver does to set up a key, by function."""
_ONE = """\
        {name} = timed({p}_{name}) - call;
        right += same(n, {at});
"""


def driver(made: CipherCode, *, setup: bool = True) -> str:
    """Return the driver's text; ``setup``: a function sets up the key."""
    p, known = made.prefix, answers(made)
    timed = [("setup", "key setup")] if setup and known.keyed else []
    timed += zip(known.directions, known.nouns, strict=True)
    run = [f"        memcpy_P({p}_key, known[n], KEY);\n"] if known.keyed else []
    run += [_RUN[name].format(p=p) for name in setups(made)]
    run += [f"        memcpy_P({p}_block, {known.at('known[n]', 'input')}, BLOCK);\n"]
    ends = zip(known.directions, ("output", "input"), strict=False)
    for name, end in ends:
        if known.tweaked and end == "input":
            given = known.at("known[n]", "input")
            run.append(f"        memcpy_P({p}_block + OUTPUT, {given} + OUTPUT, BLOCK - OUTPUT);\n")
        run.append(_ONE.format(p=p, name=name, at=known.at("", end)))
    return DRIVER.format(
        **facts(made),
        output=known.output,
        timed=", ".join(noun for _, noun in timed),
        arrays=", ".join([*[f"{p}_key[KEY]"][: known.keyed], f"{p}_block[{known.room}]"]),
        declare="".join(f"void {p}_{name}(void);\n" for name in (*setups(made), *known.directions)),
        zero=", ".join(f"{name} = 0" for name, _ in timed),
        run="".join(run),
        shown=", ".join(f"{noun} %lu" for _, noun in timed),
        value=", ".join(name for name, _ in timed),
    )  # fmt: skip
