"""Which kernels the report shows: those of the HP paper, and what is beside them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence

from cipherassay import processors
from cipherassay.lang.cipher import Cipher
from cipherassay.processors.kernel import FORMS
from cipherassay.processors.many import Job
from cipherassay.processors.rows import Wanted

PROCESSORS = (
    "mckinley-paper", "mckinley", "ia64pp", "four-banger", "pa8500",
    "mckinley-paper-infinite",
)  # fmt: skip
OPERATIONS = ("encrypt", "decrypt", "key_setup_both")
MULTIMEDIA = "alu_to_multimedia"
"""The parameter of IA-64 models that the sources leave open."""
WORTH = {
    "fixed rotation": ("shrpw", "rotr32.i"),
    "variable rotation": ("rotl32", "rotr32"),
    "multiplication": ("mpy32",),
}
"""The three instructions that the paper adds to IA-64, as the records of `ia64pp` that stand for each."""
WITH = "ia64pp"


def kernels(ciphers: Sequence[Cipher]) -> list[Wanted]:
    """Return every kernel that the report shows, in its order."""
    return [
        *_machines(ciphers),
        *_open_latency(ciphers),
        *_worth(ciphers),
    ]


def _machines(ciphers: Sequence[Cipher]) -> Iterator[Wanted]:
    for name in PROCESSORS:
        for cipher in ciphers:
            for operation, variant in _operations(cipher):
                for form in FORMS[:1] if name.endswith(processors.INFINITE) else FORMS:
                    yield _wanted(cipher, operation, name, form=form, variant=variant)


def _operations(cipher: Cipher) -> Iterator[tuple[str, str]]:
    for operation in OPERATIONS:
        yield operation, ""
    if "combined" in cipher.forms:
        yield "key_setup_encrypt", ""
    for variant in cipher.variants:
        yield "key_setup_both", variant


def _open_latency(ciphers: Sequence[Cipher]) -> Iterator[Wanted]:
    """Yield the kernels with the other value of the latency that the sources leave open."""
    for name in ("mckinley-paper", "mckinley"):
        parameters = {one["name"]: one for one in processors.document(processors.load(name))["parameters"]}
        known = parameters[MULTIMEDIA]
        others = [str(value) for value in known["values"] if str(value) != str(known["value"])]
        for value in others:
            for cipher in ciphers:
                for operation in OPERATIONS:
                    yield _wanted(cipher, operation, name, settings={MULTIMEDIA: value})


def _worth(ciphers: Sequence[Cipher]) -> Iterator[Wanted]:
    """Yield the kernels with each of the paper's instructions alone: without the two others."""
    for title in WORTH:
        others = tuple(record for other, records in WORTH.items() if other != title for record in records)
        for cipher in ciphers:
            for operation in OPERATIONS:
                yield _wanted(cipher, operation, WITH, avoid=others, only=title)


def _wanted(
    cipher: Cipher,
    operation: str,
    name: str,
    *,
    form: str = "unrolled",
    variant: str = "",
    settings: Mapping[str, str] | None = None,
    avoid: tuple[str, ...] = (),
    only: str = "",
) -> Wanted:
    given = dict(settings or {})
    model = processors.load(name, parameters=given)
    words = ["assay", "schedule", cipher.slug, operation, "--processor", name]
    words += [f"--{form}"] if form != "unrolled" else []
    words += ["--variant", variant] if variant else []
    words += [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
    words += [word for record in avoid for word in ("--without", record)]
    job = Job(cipher, operation, model, form, variant, avoid=avoid)
    target = " ".join([name, *(f"{key}={value}" for key, value in given.items())])
    configuration = f"{form}, {only} alone" if only else form
    return Wanted(job, target, configuration, shlex.join(words))
