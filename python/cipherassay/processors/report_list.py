"""Which kernels the report shows: those of the HP paper, what is beside them, those of other processors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from cipherassay import ciphers, ir, processors, strategies
from cipherassay._engine import Program
from cipherassay.lang.cipher import Cipher
from cipherassay.processors import library
from cipherassay.processors.kernel import FORMS, SMALL, Choice
from cipherassay.processors.requests import Request

PROCESSORS = (
    "mckinley-paper", "mckinley", "ia64pp", "four-banger", "pa8500",
    "mckinley-paper-infinite", "ia64pp-infinite",
)  # fmt: skip
OPERATIONS = ("encrypt", "decrypt", "key_setup_both")
MULTIMEDIA = "alu_to_multimedia"
"""The parameter of IA-64 models that the sources leave open: the latency to multimedia instructions."""
PAIRS = "shrp_ports"
"""The parameter that says where the paper's snapshot shifts pairs of registers."""
OPEN = (("mckinley-paper", MULTIMEDIA), ("mckinley-paper", PAIRS), ("mckinley", MULTIMEDIA))
"""What the sources leave open: each with every other value than the model's."""
SIZED = ("mckinley-paper", "pa8500")
"""The processors for which kernels are made with longer keys, too."""
RECIPE = "the paper's recipe"
NTT_RECIPES = {
    ("alpha-21164a", "e2", "encrypt"): Choice("straight-64-masked", avoid=("and",), window=112),
    ("alpha-21164a", "e2", "decrypt"): Choice("straight-64-masked", avoid=("and",), window=112),
}  # fmt: skip
"""By processor, cipher and operation, what Aoki and Ueda (1999, 3.2.5) did by hand: a table of 2 KiB and
eight masks where the cache is small. The masks are of bytes (zapnot); registers allow this look-ahead."""
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
ONE_KEY = bytes(range(16))
"""The key of code for one key: its cycles are the same for any key whose words are no short numbers."""
FULL_KEYING = "full-keying"
"""The form of ciphers with tables that depend on the key, for which code for one key was proposed."""


def kernels(chosen: Sequence[Cipher]) -> list[Request]:
    """Return every kernel that the report shows, in its order."""
    return [
        *_machines(chosen),
        *_open_readings(chosen),
        *_worth(chosen),
        *_longer_keys(chosen),
        *_recipes(chosen),
        *_one_key(chosen),
        *_other_processors(chosen),
    ]


def _machines(chosen: Sequence[Cipher]) -> Iterator[Request]:
    for name in PROCESSORS:
        for cipher in chosen:
            for operation, variant in operations(cipher):
                for form in FORMS[:1] if name.endswith(processors.INFINITE) else FORMS:
                    yield _request(cipher, operation, name, form=form, variant=variant)
                if library.kept(cipher, operation, name, min(cipher.key_bits), variant, SMALL):
                    yield _request(cipher, operation, name, form=SMALL, variant=variant)


def operations(cipher: Cipher) -> Iterator[tuple[str, str]]:
    """Yield the operations of a cipher that the report shows, each with its variant."""
    for operation in OPERATIONS:
        yield operation, ""
    if "combined" in cipher.forms:
        yield "key_setup_encrypt", ""
    for variant in cipher.variants:
        yield "key_setup_both", variant


def _open_readings(chosen: Sequence[Cipher]) -> Iterator[Request]:
    """Yield the kernels with the other values of what the sources leave open."""
    for name, parameter in OPEN:
        parameters = {one["name"]: one for one in processors.document(processors.load(name))["parameters"]}
        known = parameters[parameter]
        others = [str(value) for value in known["values"] if str(value) != str(known["value"])]
        for value in others:
            for cipher in chosen:
                for operation in OPERATIONS:
                    yield _request(cipher, operation, name, settings={parameter: value})


def _longer_keys(chosen: Sequence[Cipher]) -> Iterator[Request]:
    """Yield the kernels with longer keys, where the function differs from that for the shortest."""
    for name in SIZED:
        for cipher in chosen:
            for bits in cipher.key_bits[1:]:
                for operation, variant in operations(cipher):
                    if not variant and _differs(cipher, operation, bits):
                        for form in FORMS:
                            yield _request(cipher, operation, name, form=form, key_bits=bits)


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
                yield _request(cipher, operation, name, choice=one)


def _worth(chosen: Sequence[Cipher]) -> Iterator[Request]:
    """Yield the kernels with each of the paper's instructions alone: without the two others."""
    for title in WORTH:
        others = tuple(record for other, records in WORTH.items() if other != title for record in records)
        for cipher in chosen:
            for operation in OPERATIONS:
                yield _request(cipher, operation, WITH, avoid=others, only=title)


def _other_processors(chosen: Sequence[Cipher]) -> Iterator[Request]:
    """Yield the kept kernels of processors that the HP paper does not have, and NTT's recipes on them.

    Of E2 key setup is shown with all key sizes, as its paper does; of the rest with the shortest.
    """
    for name in library.processors():
        if name in PROCESSORS:
            continue
        for cipher in chosen:
            for operation, variant in operations(cipher):
                setup = operation not in ("encrypt", "decrypt")
                for bits in cipher.key_bits if setup and cipher.slug == "e2" else cipher.key_bits[:1]:
                    for form in FORMS:
                        if library.kept(cipher, operation, name, bits, variant, form):
                            yield _request(cipher, operation, name, form=form, variant=variant, key_bits=bits)
                recipe = NTT_RECIPES.get((name, cipher.slug, operation))
                if recipe and not variant:
                    yield _request(cipher, operation, name, choice=recipe)


@lru_cache(maxsize=64)
def _model(name: str, settings: tuple[tuple[str, str], ...]) -> processors.Processor:
    return processors.load(name, parameters=dict(settings))


def _one_key(ciphers: Sequence[Cipher]) -> Iterator[Request]:
    """Yield the kernels that serve one key only, of ciphers whose tables depend on the key."""
    for name in ("mckinley-paper", "mckinley", "pa8500"):
        for cipher in ciphers:
            if FULL_KEYING in cipher.forms:
                for operation in ("encrypt", "decrypt"):
                    yield _request(cipher, operation, name, key=ONE_KEY)


def _request(
    cipher: Cipher,
    operation: str,
    name: str,
    *,
    form: str = "unrolled",
    variant: str = "",
    settings: Mapping[str, str] | None = None,
    avoid: tuple[str, ...] = (),
    only: str = "",
    key_bits: int = 0,
    choice: Choice | None = None,
    key: bytes = b"",
) -> Request:
    given = dict(settings or {})
    model = _model(name, tuple(given.items()))
    special = f"{form}, {only} alone" if only else f"{form}, one key" if key else form
    return Request(
        cipher, operation, model, form, variant, key_bits or cipher.key_bits[0], avoid, choice, key,
        tuple(given.items()), RECIPE if choice else special,
    )  # fmt: skip
