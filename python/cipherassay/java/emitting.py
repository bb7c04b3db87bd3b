"""A cipher as a Maven project: class, test with known answers, the files that build it, a page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay import strategies
from cipherassay.ciphers import argument
from cipherassay.java.answers import known_answers
from cipherassay.lang.shapes import FUNCTION

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher

PACKAGE = "cipherassay"
TEMPLATES = Path(__file__).parent / "templates"
SOURCES, TESTS = f"src/main/java/{PACKAGE}", f"src/test/java/{PACKAGE}"
RESOURCES = f"src/test/resources/{PACKAGE}"


@dataclass(frozen=True)
class GeneratedClass:
    """The Java class of a cipher."""

    name: str
    text: str
    key_bits: tuple[int, ...]
    strategy: str


_TAKEN = (
    "abstract assert boolean break byte case catch char class const continue default do double else "
    "enum extends final finally float for goto if implements import instanceof int interface long "
    "native new package private protected public return short static strictfp super switch synchronized "
    "this throw throws transient try void volatile while true false null var record yield sealed "
    "permits Arrays Boolean BufferedReader Byte ByteOrder Character Class Collectors Exception "
    "IllegalStateException InputStreamReader Integer IOException List Long Math MethodHandles Object "
    "Objects Override ParameterizedTest Short StandardCharsets String System Test ValueSource VarHandle "
    "Void"
)
"""Words of Java and classes that the generated text or its test speaks of."""


def class_name(cipher: Cipher, variant: str = "") -> str:
    """Return the class's name: the cipher's as far as Java lets it, and the variant's."""
    parts = [cipher.name, *(word.capitalize() for word in re.findall(r"[A-Za-z0-9]+", variant))]
    name = re.sub(r"[^A-Za-z0-9]", "", "".join(parts)) or cipher.slug
    return f"Cipher{name}" if not name[0].isalpha() or name in _TAKEN.split() else name


def generate(
    cipher: Cipher,
    key_bits: Sequence[int] = (),
    strategy: str = "",
    variant: str = "",
    key: bytes | None = None,
) -> GeneratedClass:
    """Write the class of a cipher (default: all key sizes, its strategy for Java); errors as of `program`."""
    name = class_name(cipher, variant)
    text = strategies.emit_java(cipher, name, PACKAGE, key_bits, strategy, variant, key)
    sizes = (8 * len(key),) if key is not None else tuple(key_bits or cipher.key_bits)
    return GeneratedClass(name, text, sizes, strategy or strategies.preferred(cipher, strategies.JAVA))


def project(
    cipher: Cipher,
    key_bits: Sequence[int] = (),
    strategy: str = "",
    variant: str = "",
    key: bytes | None = None,
) -> list[tuple[str, str]]:
    """Return the files (path, text) of a project with a cipher's class and its test.

    The files around the classes are the same for every cipher but for the page's example, so that one folder
    can take several ciphers.
    """
    made = generate(cipher, key_bits, strategy, variant, key)
    values = {
        "cipher": cipher, "argument": argument(cipher), "name": made.name, "package": PACKAGE,
        "key_bits": made.key_bits, "only_key": key is not None, "block": cipher.block_bits // 8,
        "strategy": made.strategy, "sources": SOURCES, **functions(cipher),
    }  # fmt: skip
    test = "KeylessTest.java" if not cipher.keyed or values["function"] else "CipherTest.java"
    answers = known_answers(cipher, made.key_bits, variant, key)
    return [
        (f"{SOURCES}/{made.name}.java", made.text),
        (f"{TESTS}/{made.name}Test.java", filled(test, values)),
        (f"{RESOURCES}/{made.name}-known-answers.txt", answers),
        ("pom.xml", filled("pom.xml", values)),
        ("README.md", filled("README.md", values)),
    ]


def functions(cipher: Cipher) -> dict[str, object]:
    """Return what templates ask of a class: whether it has a key, what it does with a block and what undoes
    that."""
    forward, *backward = cipher.directions
    return {
        "keyed": cipher.keyed, "decrypts": cipher.keyed and bool(backward), "forward": forward,
        "backward": next(iter(backward), ""), "function": forward == FUNCTION.forward,
        "output": "BLOCK" if cipher.block_bits == cipher.output_bits else "OUTPUT",
        "tweak": cipher.tweak_bytes,
    }  # fmt: skip


def filled(template: str, values: Mapping[str, object]) -> str:
    """Return a file of the folder `templates` with its places filled in."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, keep_trailing_newline=True,
        trim_blocks=True, lstrip_blocks=True, autoescape=False,
    )  # fmt: skip
    return environment.get_template(template).render(values)
