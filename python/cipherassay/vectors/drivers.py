"""Drivers in C that check known answers of code in another language: key setup, encryption, decryption."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_DRIVER = """\
/* Checks known answers of {title}: key setup, encryption, decryption. */
{includes}

#define KEY {key}
#define BLOCK {block}
#define ANSWERS {count}

{declarations}/* Key, plaintext, ciphertext. */
static const unsigned char known[ANSWERS][KEY + 2 * BLOCK] = {{
{vectors}
}};

int main(void)
{{
{words}    unsigned right = 0, n;

    for (n = 0; n < ANSWERS; n++) {{
        memcpy({into_key}, known[n], KEY);
{setups}
        memcpy({into_block}, known[n] + KEY, BLOCK);
{encrypt}
        right += !memcmp({encrypted}, known[n] + KEY + BLOCK, BLOCK);
{decrypt}
        right += !memcmp({decrypted}, known[n] + KEY, BLOCK);
    }}
    printf("{p}: %u of %u known answers right\\n", right, 2 * ANSWERS);
    return right != 2 * ANSWERS;
}}
"""


@dataclass(frozen=True)
class Calls:
    """What a driver does for one known answer: lines of C, and the arrays in which bytes lie.

    Parameters
    ----------
    includes, declarations, words : sequence of str
        Lines at the top, before the answers, and of local variables.
    setups, encrypt, decrypt : sequence of str
        Statements.
    key, block : str
        The arrays that key and plaintext are copied into.
    encrypted, decrypted : str
        Where the results are.
    """

    setups: Sequence[str]
    encrypt: Sequence[str]
    decrypt: Sequence[str]
    key: str
    block: str
    encrypted: str
    decrypted: str
    includes: Sequence[str] = ()
    declarations: Sequence[str] = ()
    words: Sequence[str] = ()


def rows(blocks: Iterable[Sequence[bytes]]) -> str:
    """Return known answers as initializers of C, a line for each."""
    return "\n".join("    {" + ", ".join(f"0x{byte:02x}" for byte in b"".join(one)) + "}," for one in blocks)


def driver(title: str, prefix: str, blocks: Sequence[Sequence[bytes]], calls: Calls) -> str:
    """Return the text of a driver; each of ``blocks`` is key, plaintext and ciphertext."""
    statements = {
        name: "\n".join(f"        {line}" for line in getattr(calls, name))
        for name in ("setups", "encrypt", "decrypt")
    }
    declarations = "".join(f"{line}\n" for line in calls.declarations)
    return _DRIVER.format(
        **statements,
        title=title, p=prefix, key=len(blocks[0][0]), block=len(blocks[0][1]), count=len(blocks),
        includes="\n".join([*calls.includes, "#include <stdio.h>", "#include <string.h>"]),
        declarations=declarations + "\n" if declarations else "",
        words="".join(f"    {line}\n" for line in calls.words), vectors=rows(blocks),
        into_key=calls.key, into_block=calls.block, encrypted=calls.encrypted, decrypted=calls.decrypted,
    )  # fmt: skip
