"""Cards: data sheets of any ciphers as one self-contained page and its JSON, made of the coverage table."""

from cipherassay.report.cards.making import make_card

__all__ = ["make_card"]
