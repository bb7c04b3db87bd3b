"""What a firmware engineer gets for MCS-51: assembly, a driver that checks known answers, how to run it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.ciphers import argument
from cipherassay.embedded.files import answers, facts, more_setup, setups, use
from cipherassay.embedded.measuring import options
from cipherassay.embedded.processors.mcs51.text import spaces

if TYPE_CHECKING:
    from cipherassay.embedded.build import AssembledCipher
    from cipherassay.embedded.measuring import CipherCode

DRIVER = """\
/* Checks known answers of {title}. Output by the serial port; ends in power-down. */
#include <8052.h>

{sizes}
#define ANSWERS {answers}

extern __data unsigned char {arrays};
{declare}
/* {parts} */
static __code const unsigned char known[ANSWERS][{record}] = {{
{vectors}
}};

/* At the end of external RAM: all of internal RAM but the stack may be the cipher's. */
static __code const unsigned char *__xdata __at(0xFF00) answer;
static __xdata __at(0xFF02) unsigned char right;
static __xdata __at(0xFF03) unsigned char n;
static __xdata __at(0xFF04) unsigned char k;

static __code const char said[] = " of {checks} known answers right\\n";

/* No functions: four bytes of stack are all that may be left, which the cipher's calls need. */
#define SEND(c) do {{ SBUF = (c); while (!TI) {{ }} TI = 0; }} while (0)
#define CHECK(at) \\
    for (k = 0; k < {output} && {p}_block[k] == answer[(at) + k]; k++) {{ }} \\
    right += k == {output}

void main(void) {{
    SCON = 0x50;
    TMOD = 0x20;
    TH1 = 0xFF;
    TR1 = 1;
    right = 0;
    for (n = 0; n < ANSWERS; n++) {{
        answer = known[n];
{run}    }}
    SEND('0' + right);
    for (k = 0; said[k]; k++) SEND(said[k]);
    PCON |= 2;
}}
"""

README = """\
# {title} for MCS-51

Made by `{command}`.

| file | what it is |
|---|---|
| `{p}.asm` | {contents} |
| `main.c` | a driver for an 8052: known answers are checked |

Run it (Debian: `apt-get install sdcc sdcc-ucsim`):

```sh
sdas8051 -plosgff {p}.asm
sdcc -mmcs51 --iram-size 256 --xram-loc 0 main.c {p}.rel -o main.ihx
s51 -b -q -t C52 -S uart=0,in=/dev/null,out=out.txt -G main.ihx
cat out.txt
```

It prints

```text
{checks} of {checks} known answers right
```

Check known answers and count cycles from Cipherassay:

```sh
{measure}
```

The functions take no arguments and are called by `lcall`. {use} \
From C (SDCC), where names have an underscore more:

```c
extern __data unsigned char {objects};
void {declared};
```

Register bank 0 must be chosen. No register is kept{page}. The functions are not reentrant: their working
memory is static. Cycles are machine cycles of 12 clocks.

RAM in bytes: {ram}; the functions share what ends in `_spill`.
"""

USE = """\
Put the key into `{p}_key`, call
`{p}_key_schedule`; put {what} into `{p}_block`, call {calls}, and take the result
from there. The round keys stay in `{p}_keys`."""
PAGE = """, nor P2, which holds the upper byte of addresses in external RAM. The area
`XSEG` must begin at a multiple of 256"""


def files(made: AssembledCipher, command: str) -> list[tuple[str, str]]:
    """Return names and texts."""
    p, text = made.prefix, made.assembly.text
    where = spaces(text)
    ram = ", ".join(
        f"`{name}` {size} ({'external' if where[name] == 'xdata' else 'internal'})"
        for name, size in made.assembly.objects.items()
    )
    given = made.cipher.key_option(made.key_bits) + options(made.variant, unrolled=made.unrolled)
    measure = f"assay measure {argument(made.cipher)} --processor mcs51{given}"
    page = PAGE if ".area XSEG" in text else ""
    readme = README.format(
        **facts(made), command=command, measure=measure, ram=ram, page=page, use=use(made, USE)
    )
    readme += more_setup(made)
    return [(f"{p}.asm", text), ("main.c", driver(made)), ("README.md", readme)]


def driver(made: CipherCode, *, setup: bool = True) -> str:
    """Return the driver's text; ``setup``: a function sets up the key."""
    p, known = made.prefix, answers(made)
    at = " + ".join([*["KEY"][: known.keyed], "k"])
    run = [f"for (k = 0; k < KEY; k++) {p}_key[k] = answer[k];"] if known.keyed else []
    run += [f"{p}_{name}();" for name in setups(made)]
    run.append(f"for (k = 0; k < BLOCK; k++) {p}_block[k] = answer[{at}];")
    for name, end in zip(known.directions, ("output", "input"), strict=False):
        if known.tweaked and end == "input":
            run.append(f"for (k = OUTPUT; k < BLOCK; k++) {p}_block[k] = answer[{at}];")
        run += [f"{p}_{name}();", f"CHECK({known.at('', end)});"]
    return DRIVER.format(
        **facts(made),
        output=known.output,
        arrays=", ".join([*[f"{p}_key[KEY]"][: known.keyed], f"{p}_block[{known.room}]"]),
        declare="".join(f"void {p}_{name}(void);\n" for name in (*setups(made), *known.directions)),
        run="".join(f"        {line}\n" for line in run),
    )  # fmt: skip
