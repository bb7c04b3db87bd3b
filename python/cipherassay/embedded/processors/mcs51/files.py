"""What a firmware engineer gets for MCS-51: assembly, a driver that checks known answers, how to run it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.embedded.files import answers, title
from cipherassay.embedded.measuring import options
from cipherassay.embedded.processors.mcs51.text import spaces

if TYPE_CHECKING:
    from cipherassay.embedded.budget.choose import Budgeted
    from cipherassay.embedded.target import Made

DRIVER = """\
/* Checks known answers of {title}. Output by the serial port; ends in power-down. */
#include <8052.h>

#define KEY {key}
#define ANSWERS {answers}

extern __data unsigned char {p}_key[KEY], {p}_block[16];
{declare}void {p}_encrypt(void);
void {p}_decrypt(void);

/* Key, plaintext, ciphertext. */
static __code const unsigned char known[ANSWERS][KEY + 32] = {{
{vectors}
}};

static __code const unsigned char *answer;
static unsigned char right;

static void put(char c) {{
    SBUF = c;
    while (!TI) {{ }}
    TI = 0;
}}

static void text(__code const char *s) {{
    while (*s) put(*s++);
}}

static void same(unsigned char at) {{
    unsigned char k;
    for (k = 0; k < 16; k++)
        if ({p}_block[k] != answer[at + k]) return;
    right++;
}}

void main(void) {{
    unsigned char n, k;
    SCON = 0x50;
    TMOD = 0x20;
    TH1 = 0xFF;
    TR1 = 1;
    for (n = 0; n < ANSWERS; n++) {{
        answer = known[n];
        for (k = 0; k < KEY; k++) {p}_key[k] = answer[k];
{run}        for (k = 0; k < 16; k++) {p}_block[k] = answer[KEY + k];
        {p}_encrypt();
        same(KEY + 16);
        {p}_decrypt();
        same(KEY);
    }}
    put('0' + right);
    text(" of ");
    put('0' + 2 * ANSWERS);
    text(" known answers right\\n");
    PCON |= 2;
}}
"""

README = """\
# {title} for MCS-51

Made by `{command}`.

| file | what it is |
|---|---|
| `{p}.asm` | key set-up, encryption, decryption for keys of {bits} bits |
| `main.c` | a driver for an 8052: known answers are checked |

Run it (Debian: `apt-get install sdcc sdcc-ucsim`):

    sdas8051 -plosgff {p}.asm
    sdcc -mmcs51 --iram-size 256 --xram-loc 0 main.c {p}.rel -o main.ihx
    s51 -b -q -t C52 -S uart=0,in=/dev/null,out=out.txt -G main.ihx
    cat out.txt

Check known answers and count cycles from Cipherassay:

    {measure}

The functions take no arguments and are called by `lcall`. Put the key into `{p}_key`, call
`{p}_key_schedule`; put a block into `{p}_block`, call `{p}_encrypt` or `{p}_decrypt`, and take the result
from there. The round keys stay in `{p}_keys`. From C (SDCC), where names have an underscore more:

    extern __data unsigned char {p}_key[{key}], {p}_block[16];
    void {p}_key_schedule(void), {p}_encrypt(void), {p}_decrypt(void);

Register bank 0 must be chosen. No register is kept{page}. The functions are not reentrant: their working
memory is static. Cycles are machine cycles of 12 clocks.

RAM in bytes: {ram}; the functions share what ends in `_spill`.
"""

PAGE = """, nor P2, which holds the upper byte of addresses in external RAM. The area
`XSEG` must begin at a multiple of 256"""


def files(made: Made, command: str) -> list[tuple[str, str]]:
    """Return names and texts."""
    p, text = made.prefix, made.assembly.text
    where = spaces(text)
    ram = ", ".join(
        f"`{name}` {size} ({'external' if where[name] == 'xdata' else 'internal'})"
        for name, size in made.assembly.objects.items()
    )
    given = options(made.variant, unrolled=made.unrolled)
    measure = f"assay measure {made.cipher.slug} --target mcs51 --key-bits {made.key_bits}{given}"
    page = PAGE if ".area XSEG" in text else ""
    known = {"title": title(made), "p": p, "key": made.key_bits // 8}
    readme = README.format(**known, bits=made.key_bits, command=command, measure=measure, ram=ram, page=page)
    return [(f"{p}.asm", text), ("main.c", driver(made)), ("README.md", readme)]


def driver(made: Made | Budgeted, *, setup: bool = True) -> str:
    """Return the driver's text; ``setup``: a function sets up the key."""
    p = made.prefix
    count, rows = answers(made)
    return DRIVER.format(
        title=title(made), p=p, key=made.key_bits // 8, answers=count, vectors=rows,
        declare=f"void {p}_key_schedule(void);\n" if setup else "",
        run=f"        {p}_key_schedule();\n" if setup else "",
    )  # fmt: skip
