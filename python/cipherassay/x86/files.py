"""What `assay emit asm` writes for x86-32: assembly, a driver that checks known answers, how to run it."""

from __future__ import annotations

from collections.abc import Sequence

from cipherassay.vectors.drivers import Answers, Calls, driver
from cipherassay.x86.kernel import Kernel
from cipherassay.x86.text import source, title

_README = """\
# {title} for x86-32

Made by `{command}`.

| file | what it is |
|---|---|
| `{p}.s` | {contents} |
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

The functions take no arguments. {keys}
They keep the registers that a C caller wants kept, and are not reentrant: their working memory is static.

| operation | cycles | micro-operations | instructions | bytes of code | bytes of tables |
|---|---|---|---|---|---|
{rows}

Cycles are those of the model of the {processor} if every access hits the data cache, from the first
micro-operation's renaming to the last one's retirement, without call, saved registers and return.
"""

_USE = """\
Put the key into `{p}_key`, call {setup};
put a block{behind} into `{p}_block`, call {calls}, and take the result from there.
"""
_WITHOUT_KEY = """\
Put a state into `{p}_block`, call {calls}, and take
the result from there."""
_SHARED = "The round keys stay in `{p}_keys`."
_SEPARATE = """\
The round keys stay in `{p}_keys`, those of decryption in `{p}_keys_decrypt`;
a direction that is not used needs no key setup."""


def files(kernels: Sequence[Kernel], command: str) -> list[tuple[str, str]]:
    """Return names and texts; the kernels are those of one cipher: key setups, encryption, decryption."""
    head = kernels[0]
    p, keyed = head.prefix, head.cipher.keyed
    setups = [f"{p}_{k.operation}" for k in kernels if k.operation.startswith("key")]
    answers = Answers.of(head.cipher, head.key_bits, head.variant)
    calls_of = {one: [f"{p}_{one}();"] for one in answers.directions}
    calls = Calls(
        declarations=[
            f"extern unsigned char {f'{p}_key[KEY], ' if keyed else ''}{p}_block[{answers.room}];",
            *(f"extern void {p}_{k.operation}(void);" for k in kernels),
        ],
        setups=[f"{name}();" for name in setups], forward=calls_of[answers.directions[0]],
        backward=[line for one in answers.directions[1:] for line in calls_of[one]],
        key=f"{p}_key", block=f"{p}_block", made=f"{p}_block", undone=f"{p}_block",
    )  # fmt: skip
    table = "\n".join(
        f"| {k.operation} | {k.fitted.cycles:g} | {k.fitted.operations} | {len(k.code)} "
        f"| {k.code_bytes} | {k.table_bytes} |"
        for k in kernels
    )
    readme = _README.format(
        title=title(head), p=p, command=command, rows=table, processor=head.model.title,
        contents=answers.operations + (f" for keys of {head.key_bits} bits" if keyed else ""),
        checks=answers.checks, keys=_use(p, setups, answers),
    )  # fmt: skip
    return [
        (f"{p}.s", source(kernels)),
        ("main.c", driver(title(head), p, answers, calls)),
        ("README.md", readme),
    ]


def _use(p: str, setups: Sequence[str], answers: Answers) -> str:
    """Return what a README says of calls and of round keys."""
    known = {
        "p": p, "setup": " and ".join(f"`{name}`" for name in setups),
        "calls": " or ".join(f"`{p}_{one}`" for one in answers.directions),
        "behind": ", its tweak behind it," if answers.tweaked else "",
    }  # fmt: skip
    if not setups:
        return _WITHOUT_KEY.format(**known)
    return (_USE + (_SEPARATE if len(setups) > 1 else _SHARED)).format(**known)
