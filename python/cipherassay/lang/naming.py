"""What a cipher says about itself: whether its name, sizes and source can stand in every generated file."""

from __future__ import annotations

import re
import unicodedata
from types import FunctionType
from typing import Any

from cipherassay.errors import nearest

from .place import complain
from .shapes import Shape

STRUCTURES = ("SPN", "Feistel", "generalised Feistel", "ARX", "Lai-Massey", "other")
MOST_BITS = 4096
"""The largest key and block that a cipher may have; the measuring loop and the engine are made for it."""
_HEADERS = (
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign "
    "stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar "
    "wchar wctype"
)
"""Of C: a file `string.h` of a cipher would be found in its place."""
_COMMENT_MARKS = ("/*", "*/", "\\", '"')


def check_cipher(
    name: Any, key_bits: Any, block_bits: Any, structure: Any, source: Any, tweak_bits: Any = 0
) -> None:
    """Raise DescriptionError (D077 to D084) for what no cipher can be called, measured or built like."""
    _check_facts(name, structure, source)
    if not isinstance(key_bits, tuple | list) or not key_bits:
        said = "no key size" if isinstance(key_bits, tuple | list) else f"{key_bits!r} as its key sizes"
        raise complain(
            "D078", f"the cipher has {said}", help="give all sizes in bits, a single one as `key_bits=(128,)`"
        )
    has_tweak = bool(tweak_bits) or not isinstance(tweak_bits, int)
    for bits in (*key_bits, block_bits, *([tweak_bits] if has_tweak else [])):
        _check_size(bits)
    _check_size(tweak_bits + block_bits)
    if len(set(key_bits)) != len(key_bits):
        raise complain("D082", f"a key size is given twice: {', '.join(map(str, key_bits))}")


def check_permutation(name: Any, state_bits: Any, rounds: Any, structure: Any, source: Any) -> None:
    """Raise DescriptionError for what no permutation can be: as `check_cipher`, and D102 for its rounds."""
    _check_facts(name, structure, source)
    _check_size(state_bits)
    whole = isinstance(rounds, tuple | list) and all(type(n) is int and n > 0 for n in rounds)
    if not whole or len(set(rounds)) != len(rounds):
        raise complain(
            "D102",
            f"{rounds!r} are no numbers of rounds",
            help="give each once, the usual one first: `rounds=(12, 8, 6)`, a single one as `rounds=(24,)`",
        )


def check_function_sizes(
    name: Any, sizes: tuple[Any, Any], key_bits: Any, rounds: Any, structure: Any, source: Any
) -> None:
    """Raise DescriptionError for what no function can be: as `check_cipher`, and D102 for its rounds."""
    check_permutation(name, sizes[0], rounds, structure, source)
    _check_size(sizes[1])
    if not isinstance(key_bits, tuple | list) or len(key_bits):
        check_cipher(name, key_bits, sizes[0], structure, source)


def _check_facts(name: Any, structure: Any, source: Any) -> None:
    _check_text("name", name)
    _check_text("source", source or "-")
    if structure not in STRUCTURES:
        raise complain("D077", f"unknown structure `{structure}`", help=nearest(str(structure), STRUCTURES))


def _check_size(bits: Any) -> None:
    if not isinstance(bits, int) or isinstance(bits, bool):
        raise complain("D079", f"{bits!r} is no size", help="a size is a whole number of bits")
    if bits % 8 or bits <= 0:
        raise complain("D080", f"a size of {bits} bits is no whole number of bytes")
    if bits > MOST_BITS:
        raise complain(
            "D081", f"a size of {bits} bits", help=f"keys and blocks have at most {MOST_BITS} bits"
        )


def check_aliases(aliases: Any) -> None:
    """Raise DescriptionError (D104) for what is no tuple of names."""
    if not isinstance(aliases, tuple) or not all(isinstance(one, str) and one.strip() for one in aliases):
        raise complain(
            "D104",
            f"the aliases of the cipher are {aliases!r}",
            help='give a tuple of names, a single one as `aliases=("aes",)`',
        )


def _check_text(what: str, text: Any) -> None:
    """Refuse a name or source that would end the comments or strings in which generated files have it."""
    if not isinstance(text, str) or not text.strip():
        raise complain("D083", f"{text!r} is no {what} of a cipher", help="give a text of one line")
    unprintable = not text.isprintable()
    if unprintable or any(mark in text for mark in _COMMENT_MARKS):
        found = (
            "a character that cannot be printed"
            if unprintable
            else next(m for m in _COMMENT_MARKS if m in text)
        )
        raise complain(
            "D084",
            f"the {what} of the cipher, {text!r}, contains {found if unprintable else f'`{found}`'}",
            help="generated files have it in comments and strings: leave that out",
        )


def slug_of(name: str) -> str:
    """Return the name for files and functions: small ASCII letters, digits and ``_``, a letter first."""
    plain = unicodedata.normalize("NFKD", name.lower()).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")  # VHDL has no `__`, and no `_` at the end
    if not slug:
        raise complain(
            "D085",
            f"the name `{name}` has no letter or digit that files and functions could be named by",
            help='give one beside it: `Cipher("…", slug="my_cipher", …)`',
        )
    return slug if slug[0].isalpha() and slug not in _HEADERS.split() else f"cipher_{slug}"


def check_slug(slug: Any) -> str:
    """Return a name for files and functions that the author gives; D021 if it is none."""
    if not isinstance(slug, str) or not re.fullmatch(r"[a-z][a-z0-9_]*", slug):
        raise complain(
            "D086", f"slug {slug!r} is no name for files and functions", help="small letters, digits and `_`"
        )
    return slug


def check_choice_name(what: str, name: Any) -> None:
    """Raise DescriptionError (D021) for what cannot be the name of a variant or form."""
    if not isinstance(name, str) or (name and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_. -]*", name)):
        raise complain(
            "D021", f"{name!r} is no name of a {what}", help="letters, digits, `-`, `_`, `.` and spaces"
        )


def check_function(role: str, author: Any, shape: Shape) -> None:
    """Raise DescriptionError (D040) for what is no function that can be traced; D103: it is of a role that
    the kind of description does not have."""
    if role not in shape.roles:
        known = " and ".join(f"`{one}`" for one in shape.roles)
        raise complain("D103", f"a {shape.kind} has no `{role}`", help=f"its functions are {known}")
    if not isinstance(author, FunctionType):
        raise complain(
            "D040",
            f"`{role}` of a {shape.kind} is a function, not a value of type {type(author).__name__}",
            help=f"write `def {role}(…):`; a class, a method or a built-in function cannot be traced",
        )
