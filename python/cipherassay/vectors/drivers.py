"""Drivers in C that check known answers of code in another language: key setup, what is done with a block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cipherassay.lang.shapes import BLOCK_CIPHER, NOUNS
from cipherassay.vectors.records import Block
from cipherassay.vectors.single_blocks import single_blocks

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher

_DRIVER = """\
/* Checks known answers of {title}: {operations}. */
{includes}

{sizes}
#define ANSWERS {count}

{declarations}/* {parts} */
static const unsigned char known[ANSWERS][{record}] = {{
{vectors}
}};

int main(void)
{{
{words}    unsigned right = 0, n;

    for (n = 0; n < ANSWERS; n++) {{
{steps}
    }}
    printf("{p}: %u of %u known answers right\\n", right, {checks});
    return right != {checks};
}}
"""


@dataclass(frozen=True)
class Calls:
    """What a driver does for one known answer: lines of C, and the arrays in which bytes lie.

    Parameters
    ----------
    includes, declarations, words : sequence of str
        Lines at the top, before the answers, and of local variables.
    setups, forward, backward : sequence of str
        Statements: key setup, what is done with a block, what undoes it. There may be no first and no last.
    key, block : str
        The arrays that key and block are copied into.
    made, undone : str
        Where the results are.
    """

    setups: Sequence[str]
    forward: Sequence[str]
    backward: Sequence[str]
    key: str
    block: str
    made: str
    undone: str
    includes: Sequence[str] = ()
    declarations: Sequence[str] = ()
    words: Sequence[str] = ()


@dataclass(frozen=True)
class Answers:
    """Known answers as a driver has them: arrays of bytes, in each the key if there is one, input, output.

    Parameters
    ----------
    blocks : sequence of Block
        The answers.
    directions : sequence of str
        What is computed: from input to output, and back if there are two.
    """

    blocks: Sequence[Block]
    directions: Sequence[str]

    @classmethod
    def of(cls, cipher: Cipher, key_bits: int, variant: str = "", *, count: int = 8) -> Answers:
        """Return at most so many known answers of a cipher."""
        return cls(single_blocks(cipher, key_bits, variant, count=count), cipher.directions)

    @property
    def keyed(self) -> bool:
        """Whether there are keys."""
        return bool(self.blocks[0].key)

    @property
    def inverts(self) -> bool:
        """Whether outputs are undone."""
        return len(self.directions) > 1

    @property
    def _bytes(self) -> tuple[int, int]:
        """Bytes of an input, and of an output."""
        given, made = self.blocks[0].sides(self.directions[0])
        return len(given), len(made)

    @property
    def sizes(self) -> str:
        """The definitions of sizes in bytes."""
        key = [f"#define KEY {len(self.blocks[0].key)}"] if self.keyed else []
        block, made = self._bytes
        output = [f"#define OUTPUT {made}"] if made != block else []
        return "\n".join([*key, f"#define BLOCK {block}", *output])

    @property
    def tweaked(self) -> bool:
        """Whether a tweak lies behind the block."""
        return bool(self.blocks[0].tweak)

    @property
    def output(self) -> str:
        """The bytes of what is made of a block."""
        block, made = self._bytes
        return "BLOCK" if made == block else "OUTPUT"

    @property
    def room(self) -> str:
        """The bytes of an array for a block and then for what is made of it."""
        block, made = self._bytes
        return self.output if made > block else "BLOCK"

    @property
    def record(self) -> str:
        """The bytes of an answer."""
        both = "2 * BLOCK" if self.output == "BLOCK" else f"BLOCK + {self.output}"
        return f"KEY + {both}" if self.keyed else both

    @property
    def parts(self) -> str:
        """What an answer consists of, for a comment."""
        if self.directions[0] == BLOCK_CIPHER.forward:
            return f"Key, plaintext,{' tweak,' if self.tweaked else ''} ciphertext."
        return "Key, input, output." if self.keyed else "Input, output."

    def at(self, array: str, part: str) -> str:
        """Return where a part of an answer is: ``input`` or ``output``."""
        before = {"input": ["KEY"][: self.keyed], "output": [*["KEY"][: self.keyed], "BLOCK"]}[part]
        return " + ".join(filter(None, [array, *before])) or "0"

    @property
    def checks(self) -> int:
        """How many results are compared."""
        return len(self.directions) * len(self.blocks)

    @property
    def counted(self) -> str:
        """That number in terms of ``ANSWERS``."""
        return "2 * ANSWERS" if self.inverts else "ANSWERS"

    @property
    def nouns(self) -> list[str]:
        """What is computed of each block, as text says it."""
        return [NOUNS[one] for one in self.directions]

    @property
    def operations(self) -> str:
        """What is checked, as text lists it."""
        return ", ".join([*(["key setup"] if self.keyed else []), *self.nouns])

    def rows(self) -> str:
        """Return the answers as initializers of C, a line for each."""
        each = (one.key + b"".join(one.sides(self.directions[0])) for one in self.blocks)
        return "\n".join("    {" + ", ".join(f"0x{byte:02x}" for byte in one) + "}," for one in each)


def driver(title: str, prefix: str, answers: Answers, calls: Calls) -> str:
    """Return the text of a driver."""
    declarations = "".join(f"{line}\n" for line in calls.declarations)
    return _DRIVER.format(
        title=title, p=prefix, operations=answers.operations, sizes=answers.sizes, count=len(answers.blocks),
        includes="\n".join([*calls.includes, "#include <stdio.h>", "#include <string.h>"]),
        declarations=declarations + "\n" if declarations else "", parts=answers.parts, record=answers.record,
        words="".join(f"    {line}\n" for line in calls.words), vectors=answers.rows(),
        steps="\n".join(f"        {line}" for line in _steps(answers, calls)), checks=answers.counted,
    )  # fmt: skip


def _steps(answers: Answers, calls: Calls) -> list[str]:
    """Return the statements for one known answer."""
    given, made = answers.at("known[n]", "input"), answers.at("known[n]", "output")
    lines = [f"memcpy({calls.key}, known[n], KEY);", *calls.setups] if answers.keyed else []
    lines += [f"memcpy({calls.block}, {given}, BLOCK);", *calls.forward]
    lines.append(f"right += !memcmp({calls.made}, {made}, {answers.output});")
    if answers.inverts:
        if answers.tweaked:
            lines.append(f"memcpy({calls.block} + OUTPUT, {given} + OUTPUT, BLOCK - OUTPUT);")
        lines += [*calls.backward, f"right += !memcmp({calls.undone}, {given}, {answers.output});"]
    return lines
