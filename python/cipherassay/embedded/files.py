"""What a firmware engineer gets: the assembly, a driver that checks known answers, how to run it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.embedded.target import Made, known_answers

if TYPE_CHECKING:
    from cipherassay.embedded.budget.choose import Budgeted

ANSWERS = 3

DRIVER = """\
/* Checks known answers of {title} and prints cycles of calls: {operations}.
 * Output by the first serial port; simavr prints it. Ends by sleeping with interrupts off.
 */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>
#include <avr/sleep.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define KEY {key}
#define ANSWERS {answers}

extern uint8_t {p}_key[KEY], {p}_block[16];
{declare}void {p}_encrypt(void);
void {p}_decrypt(void);

/* Key, plaintext, ciphertext. */
static const uint8_t known[ANSWERS][KEY + 32] PROGMEM = {{
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
    return memcmp_P({p}_block, known[answer] + at, 16) == 0;
}}

int main(void) {{
    UCSR0B = 1 << TXEN0;
    stdout = &serial;
    TCCR1B = 1;
    TIMSK1 = 1 << TOIE1;
    sei();
    uint8_t right = 0;
    uint32_t call = timed(nothing), {zero}encrypt = 0, decrypt = 0;
    for (uint8_t n = 0; n < ANSWERS; n++) {{
        memcpy_P({p}_key, known[n], KEY);
{run}        memcpy_P({p}_block, known[n] + KEY, 16);
        encrypt = timed({p}_encrypt) - call;
        right += same(n, KEY + 16);
        decrypt = timed({p}_decrypt) - call;
        right += same(n, KEY);
    }}
    printf("{p}: %u of %u known answers right\\n", right, 2 * ANSWERS);
    printf("cycles: {shown}encryption %lu, decryption %lu\\n", {value}encrypt, decrypt);
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
| `{p}.S` | key set-up, encryption, decryption for keys of {bits} bits |
| `main.c` | a driver: known answers are checked, cycles printed |

Run it (Debian: `apt-get install gcc-avr avr-libc simavr`):

    avr-gcc -mmcu=atmega328p -Os -o {p}.elf main.c {p}.S
    simavr -m atmega328p -f 16000000 {p}.elf

The functions take no arguments. Put the key into `{p}_key`, call `{p}_key_schedule`; put a block into
`{p}_block`, call `{p}_encrypt` or `{p}_decrypt`, and take the result from there. The round keys stay in
`{p}_keys`. From C:

    extern uint8_t {p}_key[{key}], {p}_block[16];
    void {p}_key_schedule(void), {p}_encrypt(void), {p}_decrypt(void);

The functions keep the registers that avr-gcc wants kept. They are not reentrant: their working memory is
static. The driver's cycles count from the call to the return, less those of an empty function's call; the
timer's interrupts, one every 65536 cycles, are in them.

RAM in bytes: {ram}. {tables}
"""
TABLES = "Tables lie in flash, each at a multiple of 256, within the first 64 KiB."
IN_RAM = """\
Tables lie in RAM as well, each at a multiple of 256; they are copied there from flash before `main`."""


def files(made: Made, command: str) -> list[tuple[str, str]]:
    """Return names and texts."""
    p = made.prefix
    ram = ", ".join(f"`{name}` {size}" for name, size in made.assembly.objects.items())
    readme = README.format(
        title=title(made), p=p, bits=made.key_bits, key=made.key_bits // 8, command=command, ram=ram,
        tables=IN_RAM if made.processor.placed else TABLES,
    )  # fmt: skip
    return [(f"{p}.S", made.assembly.text), ("main.c", driver(made)), ("README.md", readme)]


def title(made: Made | Budgeted) -> str:
    """Return what the files are of."""
    return f"{made.cipher.name}, keys of {made.key_bits} bits"


def answers(made: Made | Budgeted) -> tuple[int, str]:
    """Return how many known answers a driver checks, and key, plaintext and ciphertext of each as C."""
    known = list(known_answers(made))[:ANSWERS]
    rows = ["    {" + ", ".join(f"0x{b:02x}" for part in one for b in part) + "}," for one in known]
    return len(known), "\n".join(rows)


def driver(made: Made | Budgeted, *, setup: bool = True) -> str:
    """Return the driver's text; ``setup``: a function sets up the key."""
    p = made.prefix
    count, rows = answers(made)
    return DRIVER.format(
        title=title(made), p=p, key=made.key_bits // 8, answers=count, vectors=rows,
        operations=("key set-up, " if setup else "") + "encryption, decryption",
        declare=f"void {p}_key_schedule(void);\n" if setup else "",
        zero="setup = 0, " if setup else "",
        run=f"        setup = timed({p}_key_schedule) - call;\n" if setup else "",
        shown="key set-up %lu, " if setup else "",
        value="setup, " if setup else "",
    )  # fmt: skip
