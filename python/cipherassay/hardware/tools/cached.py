"""Results of synthesis, cached by what they are made of: the same work is done once."""

from cipherassay.jobs.digests import digest as digest_of
from cipherassay.jobs.digests import text_digest as digest
from cipherassay.jobs.texts import TextCache

__all__ = ["CACHE", "digest", "key"]

FORM = 1
"""The form of what is kept: another number makes everything anew."""
CACHE = TextCache("synthesis")


def key(**parts: object) -> str:
    """Return the name of a result: a digest of everything that it depends on."""
    return digest_of({"form": FORM, **parts})
