"""The kernels of the paper: its processors, what it says of its code, what its sources leave open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from cipherassay import ciphers, ir, processors, strategies
from cipherassay._engine import Program
from cipherassay.lang.cipher import Cipher
from cipherassay.processors import library
from cipherassay.processors.kernel import FORMS, SMALL, Choice
from cipherassay.processors.report_list import FULL_KEYING, ONE_KEY, OPERATIONS, operations, request
from cipherassay.processors.requests import Request

PROCESSORS = (
    "mckinley-paper", "mckinley", "ia64pp", "four-banger", "pa8500",
    "mckinley-paper-infinite", "ia64pp-infinite",
)  # fmt: skip
MULTIMEDIA = "alu_to_multimedia"
"""The parameter of IA-64 models that the sources leave open: the latency to multimedia instructions."""
PAIRS = "shrp_ports"
"""The parameter that says where the paper's snapshot shifts pairs of registers."""
OPEN = (("mckinley-paper", MULTIMEDIA), ("mckinley-paper", PAIRS), ("mckinley", MULTIMEDIA))
"""What the sources leave open: each with every other value than the model's."""
SIZED = ("mckinley-paper", "pa8500")
"""The processors for which kernels are made with longer keys, too."""
RECIPES = {
    "mckinley-paper": Choice("straight", avoid=(
        "rotate by unpack4.l and extr.u", "rotate by dep.z, extr.u and or",
        "rotate right by a pair and shr.u", "rotate left by a pair and shr.u",
        "product by lanes, summed as integers", "square by lanes, summed as integers",
        "x + 2 x x by lanes, summed as integers", "product by xma", "zxt1",
    ), spread=False),
    "pa8500": Choice("as-compiled", "two-alu", avoid=(
        "square by memory", "rotate left by the negative",
    ), order="scheduled"),
}  # fmt: skip
"""By processor, what the paper says of its code: rotations by dep.z and shrp, bytes by extr.u, 16-bit
products in the multimedia units; on PA-RISC both factors stored, rotations left by mtsarcm."""
RECIPE_OPERATIONS = {"mckinley-paper": OPERATIONS, "pa8500": ("encrypt", "decrypt")}
RECIPE_ORDERS = {
    ("mars", "encrypt"): "program", ("mars", "decrypt"): "program", ("twofish", "encrypt"): "program",
}  # fmt: skip
"""Where the text of a recipe for PA-RISC stands in the order of the description, round after round. The paper
does not print the order; of the two that are tried it is the one whose cycles are nearer to the paper's."""
WORTH = {
    "fixed rotation": ("shrpw", "rotr32.i"),
    "variable rotation": ("rotl32", "rotr32"),
    "multiplication": ("mpy32",),
}
"""The three instructions that the paper adds to IA-64, as the records of `ia64pp` that stand for each."""
WITH = "ia64pp"


def kernels(chosen: Sequence[Cipher]) -> list[Request]:
    """Return every kernel that the paper's section shows, in its order."""
    return [
        *_machines(chosen),
        *_open_readings(chosen),
        *_worth(chosen),
        *_longer_keys(chosen),
        *_recipes(chosen),
        *_one_key(chosen),
    ]


def _machines(chosen: Sequence[Cipher]) -> Iterator[Request]:
    for name in PROCESSORS:
        for cipher in chosen:
            for operation, variant in operations(cipher):
                for form in FORMS[:1] if name.endswith(processors.INFINITE) else FORMS:
                    yield request(cipher, operation, name, form=form, variant=variant)
                if library.kept(cipher, operation, name, min(cipher.key_bits), variant, SMALL):
                    yield request(cipher, operation, name, form=SMALL, variant=variant)


def _open_readings(chosen: Sequence[Cipher]) -> Iterator[Request]:
    """Yield the kernels with the other values of what the sources leave open."""
    for name, parameter in OPEN:
        parameters = {one["name"]: one for one in processors.document(processors.load(name))["parameters"]}
        known = parameters[parameter]
        others = [str(value) for value in known["values"] if str(value) != str(known["value"])]
        for value in others:
            for cipher in chosen:
                for operation in OPERATIONS:
                    yield request(cipher, operation, name, settings={parameter: value})


def _longer_keys(chosen: Sequence[Cipher]) -> Iterator[Request]:
    """Yield the kernels with longer keys, where the function differs from that for the shortest."""
    for name in SIZED:
        for cipher in chosen:
            for bits in cipher.key_bits[1:]:
                for operation, variant in operations(cipher):
                    if not variant and _differs(cipher, operation, bits):
                        for form in FORMS:
                            yield request(cipher, operation, name, form=form, key_bits=bits)


def _differs(cipher: Cipher, operation: str, bits: int) -> bool:
    if operation not in ("encrypt", "decrypt"):
        return True
    file, shortest = str(cipher.file), cipher.key_bits[0]
    return _functions(file, bits)[operation] != _functions(file, shortest)[operation]


@lru_cache(maxsize=32)
def _functions(file: str, bits: int) -> Mapping[str, ir.Function]:
    """Return a cipher's functions in the form that kernels start from, by name."""
    cipher = ciphers.load(file)
    form = strategies.load("straight").form_for(cipher) or ""
    return Program.parse(cipher.program_text(bits, form=form)).mirror().functions


def _recipes(chosen: Sequence[Cipher]) -> Iterator[Request]:
    """Yield the kernels of what the paper did by hand: they say how well the model stands for the machine."""
    for name, choice in RECIPES.items():
        for cipher in chosen:
            for operation in RECIPE_OPERATIONS[name]:
                both = operation == "key_setup_both" and "combined" in cipher.forms
                strategy = f"{choice.strategy}-both-keys" if both else choice.strategy
                order = choice.order and RECIPE_ORDERS.get((cipher.slug, operation), choice.order)
                one = replace(choice, strategy=strategy, order=order)
                yield request(cipher, operation, name, choice=one)


def _worth(chosen: Sequence[Cipher]) -> Iterator[Request]:
    """Yield the kernels with each of the paper's instructions alone: without the two others."""
    for title in WORTH:
        others = tuple(record for other, records in WORTH.items() if other != title for record in records)
        for cipher in chosen:
            for operation in OPERATIONS:
                yield request(cipher, operation, WITH, avoid=others, only=title)


def _one_key(ciphers: Sequence[Cipher]) -> Iterator[Request]:
    """Yield the kernels that serve one key only, of ciphers whose tables depend on the key."""
    for name in ("mckinley-paper", "mckinley", "pa8500"):
        for cipher in ciphers:
            if FULL_KEYING in cipher.forms:
                for operation in ("encrypt", "decrypt"):
                    yield request(cipher, operation, name, key=ONE_KEY)
