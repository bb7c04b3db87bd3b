"""Toy ciphers made from a few lines of text, to try the language on."""

from __future__ import annotations

import linecache
import textwrap
from typing import Any

from cipherassay import lang
from cipherassay.errors import DescriptionError
from cipherassay.lang import Cipher

KEY_SCHEDULE = """\
def key_schedule(key):
    S = array(u32, 4)
    S[0:4] = le_words(key)
    return S
"""


def make(
    encrypt: str, *, key_schedule: str = KEY_SCHEDULE, before: str = "", keep_source: bool = True
) -> Cipher:
    """Return a cipher whose `encrypt(S, p)` is the given text (a body, indented or not); S are four words, p
    16 bytes."""
    body = textwrap.indent(textwrap.dedent(encrypt), "    ")
    text = f"{key_schedule}{textwrap.dedent(before)}def encrypt(S, p):\n{body}"
    name = "toy.py"
    if keep_source:
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    else:
        linecache.cache.pop(name, None)
    namespace: dict[str, Any] = {n: getattr(lang, n) for n in lang.__all__}
    exec(compile(text, name, "exec"), namespace)
    cipher = Cipher("Toy", key_bits=(128,), structure="other", source="[none]", slug="toy")
    cipher.key_schedule(namespace["key_schedule"])
    cipher.encrypt(namespace["encrypt"])
    return cipher


def text(cipher: Cipher) -> str:
    """Return the text form of its `encrypt`, without head and places."""
    whole = cipher.program_text(128)
    lines = whole[whole.index("func @encrypt") :].splitlines()
    return "\n".join(line.split("  @")[0].rstrip() for line in lines)


def refusal(encrypt: str, *, plain: bool | None = None, **options: Any) -> str:
    """Return the error that a body gets: from the trace, which must be that of the plain run too (``plain``
    None: both)."""
    found = []
    for mode in [True, False] if plain is None else [plain]:
        cipher = make(encrypt, **options)
        try:
            if mode:
                cipher.run("encrypt", cipher.run("key_schedule", bytes(16)), bytes(16))
            else:
                cipher.program_text(128)
        except DescriptionError as error:
            found.append(str(error))
        else:
            found.append("accepted")
    assert len(set(found)) == 1, found
    return found[0]
