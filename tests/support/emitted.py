"""Emitted C, compiled and run: shared by the tests of the C back end."""

from __future__ import annotations

import ctypes
import random
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from cipherassay import strategies
from cipherassay.ciphers import Cipher, load, of_papers

WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-Werror"]


def choices() -> list[tuple[str, str, str]]:
    """Return every cipher, variant and strategy that go together (code for one key apart)."""
    return [
        (name, variant, strategy)
        for name in of_papers()
        for strategy in strategies.applicable(load(name))
        if not strategies.load(strategy).for_each_key
        for variant in ("", *load(name).variants)
    ]


def cases(cipher: Cipher, key_bits: int, variant: str, count: int) -> list[tuple[bytes, bytes, bytes]]:
    """Return random keys, plaintexts and their ciphertexts, by the evaluator on the literal description."""
    rng = random.Random(f"{cipher.slug} {key_bits} {variant}")
    program = cipher.compile(key_bits, variant=variant)
    found = []
    for _ in range(count):
        key, block = rng.randbytes(key_bits // 8), rng.randbytes(16)
        keys = program.evaluate("key_schedule", [key])
        found.append((key, block, program.run_blocks("encrypt", keys, block)))
    return found


def write(folder: Path, cipher: Cipher, strategy: str, variant: str = "", key: bytes | None = None) -> str:
    """Write the C files; return the name that files and functions begin with."""
    files = strategies.emit_c(cipher, (), strategy, variant, key)
    for name, text in files:
        (folder / name).write_text(text)
    return files[0][0].rsplit(".", 1)[0]


def compilers() -> list[str]:
    """Return the C compilers at hand."""
    return [name for name in ("gcc", "clang") if shutil.which(name)]


def run(command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> str:
    """Run a command; fail with what it said."""
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    assert done.returncode == 0, f"{' '.join(command)}\n{said[-4000:]}"
    return said


class Library:
    """An emitted cipher as a shared library."""

    def __init__(self, folder: Path, name: str, compiler: str = "gcc", flags: Sequence[str] = ("-O1",)) -> None:
        path = folder / f"{name}.so"
        run([compiler, *WARNINGS, *flags, "-shared", "-fPIC", f"{name}.c", "-o", str(path)], folder)
        self._library, self._name = ctypes.CDLL(str(path)), name
        self._context = ctypes.create_string_buffer(1 << 16)

    def set_key(self, key: bytes, direction: str, bits: int | None = None) -> int:
        """Call `NAME_encrypt_key` or `NAME_decrypt_key`."""
        function = getattr(self._library, f"{self._name}_{direction}_key")
        return int(function(self._context, key, ctypes.c_size_t(8 * len(key) if bits is None else bits)))

    def block(self, block: bytes, direction: str) -> bytes:
        """Encrypt or decrypt one block, output over input."""
        memory = ctypes.create_string_buffer(block, 16)
        getattr(self._library, f"{self._name}_{direction}")(self._context, memory, memory)
        return memory.raw


DRIVER = """\
#include "NAME.h"
#include <stdio.h>
#include <string.h>
#ifdef MARK_SECRETS
#include <valgrind/memcheck.h>
#else
#define VALGRIND_MAKE_MEM_UNDEFINED(address, size) ((void)0)
#define VALGRIND_MAKE_MEM_DEFINED(address, size) ((void)0)
#endif
struct record { unsigned key_bits; uint8_t key[32], plain[16], cipher[16]; };
static const struct record records[] = {
RECORDS};
int main(void)
{
    for (size_t n = 0; n < sizeof records / sizeof records[0]; n++) {
        struct record r = records[n];
        NAME_ctx ctx;
        uint8_t out[16];
        VALGRIND_MAKE_MEM_UNDEFINED(r.key, sizeof r.key);
        VALGRIND_MAKE_MEM_UNDEFINED(r.plain, sizeof r.plain);
        if (NAME_encrypt_key(&ctx, r.key, r.key_bits) != 0) return 2;
        NAME_encrypt(&ctx, r.plain, out);
        VALGRIND_MAKE_MEM_DEFINED(out, sizeof out);
        if (memcmp(out, r.cipher, 16) != 0) return 3;
        VALGRIND_MAKE_MEM_UNDEFINED(out, sizeof out);
        if (NAME_decrypt_key(&ctx, r.key, r.key_bits) != 0) return 4;
        NAME_decrypt(&ctx, out, out);
        VALGRIND_MAKE_MEM_DEFINED(out, sizeof out);
        VALGRIND_MAKE_MEM_DEFINED(r.plain, sizeof r.plain);
        if (memcmp(out, r.plain, 16) != 0) return 5;
    }
    puts("all agree");
    return 0;
}
"""


@cache
def driver(name: str, cipher: str, variant: str, count: int) -> str:
    """Return a C program that checks random records; it prints `all agree`."""
    described = load(cipher)
    lines = []
    for bits in described.key_bits:
        for key, plain, coded in cases(described, bits, variant, count):
            parts = (", ".join(map(str, part)) for part in (key, plain, coded))
            lines.append(f"    {{ {bits}, {{ {' }, { '.join(parts)} }} }},\n")
    return DRIVER.replace("NAME", name).replace("RECORDS", "".join(lines))
