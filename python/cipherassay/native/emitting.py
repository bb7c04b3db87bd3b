"""A cipher as a folder of C: source and header, a test with known answers, a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cipherassay import strategies
from cipherassay.lang.shapes import FUNCTION

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher

_TEST = """\
/* Checks known answers of {title}: {directions} of single blocks. */
#include "{p}.h"

#include <stdio.h>
#include <string.h>

struct answer {{
    unsigned key_bits;
    uint8_t key[{key}], plaintext[{block}], ciphertext[{block}]{tweak_field};
}};

static const struct answer answers[] = {{
{answers}
}};

int main(void)
{{
    const unsigned count = sizeof answers / sizeof answers[0];
    static {p}_ctx ctx;
    unsigned right = 0, n;

    for (n = 0; n < count; n++) {{
        const struct answer *one = &answers[n];
        uint8_t out[{block}];

        if ({p}_encrypt_key(&ctx, one->key, one->key_bits) == 0) {{
            {p}_encrypt(&ctx, {tweak_of_one}one->plaintext, out);
            right += memcmp(out, one->ciphertext, sizeof out) == 0;
        }}
{decrypts}    }}
    {p}_clear(&ctx);
    printf("{p}: %u of %u known answers right\\n", right, {each}count);
    return right != {each}count;
}}
"""

_DECRYPTS = """\
        if ({p}_decrypt_key(&ctx, one->key, one->key_bits) == 0) {{
            {p}_decrypt(&ctx, {tweak_of_one}one->ciphertext, out);
            right += memcmp(out, one->plaintext, sizeof out) == 0;
        }}
"""

_RUN = """\
Run the test, with any compiler of C99 or later:

```sh
cc -std=c99 -O2 -Wall -Wextra -pedantic -o {p}_test {p}.c {p}_test.c
./{p}_test
```

It prints:

```text
{p}: {checks} of {checks} known answers right
```

`make test` does the same, `make` builds `lib{p}.a`. With CMake, whose target `{p}` other projects link to:

```sh
cmake -S . -B build && cmake --build build && ctest --test-dir build
```

From C or C++:

```c
"""

_README = """\
# {title} in C

Made by `{command}`; the same command writes the same bytes.

| file | what it is |
|---|---|
| `{p}.c`, `{p}.h` | the cipher in C99 without dependencies, C++ as it is, for keys of {sizes} bits |
| `{p}_test.c` | a test: known answers of {directions} |
| `Makefile`, `CMakeLists.txt` | a library, and the test |

""" + _RUN + """\
{p}_ctx ctx;
{p}_encrypt_key(&ctx, key, {bits});   /* 0, or -1 for a key size that the code is not for */
{p}_encrypt(&ctx, {tweak}in, out);      /* one block of {block} bytes, in place or not */
{calls}{p}_clear(&ctx);                       /* overwrites the round keys */
```

`{p}.h` says whether the time of the code can depend on secrets. The functions keep no state but `ctx`, which
holds the round keys: `{p}_clear` overwrites it after use. What was computed with stays in registers and on
the stack until they are used again. A block cipher alone is no encryption of messages: a mode of operation
and authentication are up to the caller.
"""

_PERMUTATION_TEST = """\
/* Checks known answers of {title}: {directions} of single states. */
#include "{p}.h"

#include <stdio.h>
#include <string.h>

struct answer {{
    uint8_t input[{block}], output[{block}];
}};

static const struct answer answers[] = {{
{answers}
}};

int main(void)
{{
    const unsigned count = sizeof answers / sizeof answers[0];
    unsigned right = 0, n;

    for (n = 0; n < count; n++) {{
        const struct answer *one = &answers[n];
        uint8_t out[{block}];

        {p}_permute(one->input, out);
        right += memcmp(out, one->output, sizeof out) == 0;
{inverts}    }}
    printf("{p}: %u of %u known answers right\\n", right, {each}count);
    return right != {each}count;
}}
"""

_INVERTS = """\
        {p}_inverse(one->output, out);
        right += memcmp(out, one->input, sizeof out) == 0;
"""

_FUNCTION_TEST = """\
/* Checks known answers of {title}. */
#include "{p}.h"

#include <stdio.h>
#include <string.h>

struct answer {{
    {fields}
}};

static const struct answer answers[] = {{
{answers}
}};

int main(void)
{{
    const unsigned count = sizeof answers / sizeof answers[0];
{context}    unsigned right = 0, n;

    for (n = 0; n < count; n++) {{
        const struct answer *one = &answers[n];
        uint8_t out[{output}];

{evaluate}
        right += memcmp(out, one->output, sizeof out) == 0;
    }}
    printf("{p}: %u of %u known answers right\\n", right, count);
    return right != count;
}}
"""

_FUNCTION_README = """\
# {title} in C

Made by `{command}`; the same command writes the same bytes.

| file | what it is |
|---|---|
| `{p}.c`, `{p}.h` | the function in C99 without dependencies, C++ as it is{sizes} |
| `{p}_test.c` | a test: known answers |
| `Makefile`, `CMakeLists.txt` | a library, and the test |

""" + _RUN + """\
{calls}```

`{p}.h` says whether the time of the code can depend on secrets. The functions keep no state{state}.
"""

_MAKEFILE = """\
# Made by `{command}`.
CFLAGS ?= -O2
CFLAGS += -std=c99 -Wall -Wextra -pedantic

lib{p}.a: {p}.o
\t$(AR) rcs $@ $<

{p}.o: {p}.c {p}.h
\t$(CC) $(CFLAGS) -c -o $@ $<

{p}_test: {p}_test.c {p}.h lib{p}.a
\t$(CC) $(CFLAGS) -o $@ {p}_test.c lib{p}.a

test: {p}_test
\t./{p}_test

clean:
\trm -f {p}.o lib{p}.a {p}_test

.PHONY: test clean
"""

_CMAKE = """\
# Made by `{command}`.
cmake_minimum_required(VERSION 3.10)
project({p} C)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_C_STANDARD 99)

add_library({p} {p}.c)
target_include_directories({p} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})

enable_testing()
add_executable({p}_test {p}_test.c)
target_link_libraries({p}_test {p})
add_test(NAME {p} COMMAND {p}_test)
"""

_PERMUTATION_README = """\
# {title} in C

Made by `{command}`; the same command writes the same bytes.

| file | what it is |
|---|---|
| `{p}.c`, `{p}.h` | the permutation in C99 without dependencies, C++ as it is |
| `{p}_test.c` | a test: known answers of {directions} |
| `Makefile`, `CMakeLists.txt` | a library, and the test |

""" + _RUN + """\
{p}_permute(in, out);      /* one state of {block} bytes, in place or not */
{call}```

`{p}.h` says whether the time of the code can depend on the state. The functions keep no state of their own. A
permutation alone hides nothing: whoever knows the output knows the input. A mode of operation is up to the
caller.
"""


def project(
    cipher: Cipher,
    key_bits: Sequence[int] = (),
    strategy: str = "",
    variant: str = "",
    key: bytes | None = None,
    command: str = "",
    prefix: str = "",
) -> list[tuple[str, str]]:
    """Return the files (name, text) of a folder with a cipher in C; ``command`` is what writes them again.

    With a prefix the names of files and functions begin with it.

    Raises what `strategies.program` raises; ``K0xx``: known answers beside the cipher's file cannot be read.
    """
    files = strategies.emit_c(cipher, key_bits, strategy, variant, key, prefix)
    p = files[0][0].rpartition(".")[0]
    build = [
        (name, text.format(p=p, command=command))
        for name, text in (("Makefile", _MAKEFILE), ("CMakeLists.txt", _CMAKE))
    ]  # fmt: skip
    sizes = [8 * len(key)] if key is not None else list(key_bits or cipher.key_bits)
    answers = list(_answers(cipher, sizes, variant, key))
    if cipher.shape.forward == FUNCTION.forward:
        return [*files, *_of_function(cipher, p, answers, sizes, variant, command), *build]
    if not cipher.keyed:
        return [*files, *_of_permutation(cipher, p, answers, variant, command), *build]
    known = {
        "title": cipher.name + (f", {variant}" if variant else ""), "p": p, "block": cipher.block_bits // 8,
        "key": max(sizes) // 8, "sizes": ", ".join(map(str, sizes)), "bits": sizes[0], "command": command,
        "answers": "\n".join(answers), "checks": len(cipher.directions) * len(answers),
        "directions": "encryption", "decrypts": "", "each": "", "calls": "", **_tweak(cipher),
    }  # fmt: skip
    if "decrypt" in cipher.directions:
        calls = f"{p}_decrypt_key(&ctx, key, {sizes[0]});\n{p}_decrypt(&ctx, {known['tweak']}in, out);\n"
        known |= {"directions": "encryption and decryption", "each": "2 * ", "calls": calls}
        known["decrypts"] = _DECRYPTS.format(**known)
    test, page = _TEST.format(**known), _README.format(**known)
    return [*files, (f"{p}_test.c", test), ("README.md", page), *build]


def _tweak(cipher: Cipher) -> dict[str, str]:
    """Return what the test and the page say of a tweak, if there is one."""
    if not cipher.tweak_bytes:
        return dict.fromkeys(("tweak_field", "tweak_of_one", "tweak"), "")
    return {
        "tweak_field": f", tweak[{cipher.tweak_bytes}]", "tweak_of_one": "one->tweak, ", "tweak": "tweak, ",
    }  # fmt: skip


def _answers(cipher: Cipher, sizes: Sequence[int], variant: str, key: bytes | None) -> Iterator[str]:
    from cipherassay.vectors.single_blocks import single_blocks

    for bits in sizes:
        for block in single_blocks(cipher, bits, variant, key):
            parts = ("{" + ", ".join(f"0x{byte:02x}" for byte in part) + "}" for part in block if part)
            keys = [str(bits)] if cipher.keyed else []
            yield f"    {{{', '.join([*keys, *parts])}}},"


def _of_function(
    cipher: Cipher, p: str, answers: Sequence[str], sizes: Sequence[int], variant: str, command: str
) -> list[tuple[str, str]]:
    """Return the test and the page of a function's folder."""
    given, made = cipher.sizes
    key = [f"uint8_t key[{max(sizes) // 8}];"] if cipher.keyed else []
    setup = f"{p}_evaluate_key(&ctx, one->key, one->key_bits)"
    call = f"        {p}_evaluate({'&ctx, ' if key else ''}one->input, out);"
    calls = [f"{p}_ctx ctx;", f"{p}_evaluate_key(&ctx, key, {sizes[0]});"] if key else []
    calls.append(f"{p}_evaluate({'&ctx, ' if key else ''}in, out);   /* {given} bytes to {made} */")
    known = {
        "title": cipher.name + (f", {variant}" if variant else ""), "p": p, "command": command,
        "output": made, "answers": "\n".join(answers), "checks": len(answers),
        "calls": "".join(f"{one}\n" for one in calls),
        "fields": "\n    ".join(
            [*(["unsigned key_bits;", *key] if key else []), f"uint8_t input[{given}], output[{made}];"]
        ),
        "context": f"    static {p}_ctx ctx;\n" if key else "",
        "evaluate": "\n".join(
            [f"        if ({setup} != 0) {{", "            continue;", "        }", call] if key else [call]
        ),
        "sizes": f", for keys of {', '.join(map(str, sizes))} bits" if key else "",
        "state": f" but `ctx`, which holds the key: `{p}_clear` overwrites it after use" if key else "",
    }  # fmt: skip
    return [
        (f"{p}_test.c", _FUNCTION_TEST.format(**known)), ("README.md", _FUNCTION_README.format(**known)),
    ]  # fmt: skip


def _of_permutation(
    cipher: Cipher, p: str, answers: Sequence[str], variant: str, command: str
) -> list[tuple[str, str]]:
    """Return the test and the page of a permutation's folder."""
    inverts = cipher.shape.backward in cipher.directions
    known = {
        "title": cipher.name + (f", {variant}" if variant else ""), "p": p, "block": cipher.block_bits // 8,
        "command": command, "answers": "\n".join(answers), "checks": len(cipher.directions) * len(answers),
        "each": "2 * " if inverts else "", "directions": " and ".join(cipher.directions),
        "inverts": _INVERTS.format(p=p) if inverts else "",
        "call": f"{p}_inverse(in, out);\n" if inverts else "",
    }  # fmt: skip
    text = _PERMUTATION_TEST.format(**known)
    return [(f"{p}_test.c", text), ("README.md", _PERMUTATION_README.format(**known))]
