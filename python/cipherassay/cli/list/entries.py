"""What there is, by kind: ciphers, strategies, papers, processors, technologies."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

Entries = list[dict[str, Any]]


def ciphers() -> Entries:
    """Return the ciphers of the package."""
    from cipherassay.ciphers import argument, load, names
    from cipherassay.strategies.preferences import preference

    found = (load(name) for name in names())
    return [
        {
            "name": argument(cipher),
            "title": cipher.name,
            "aliases": list(cipher.aliases),
            "structure": cipher.structure,
            "block_bits": cipher.block_bits,
            "key_bits": list(cipher.key_bits) if cipher.keyed else [],
            "tweak_bits": cipher.tweak_bits,
            "variants": list(cipher.variants),
            "forms": list(cipher.forms),
            "strategy": preference(cipher),
        }
        for cipher in found
    ]


def strategies() -> Entries:
    """Return the strategies, each with its passes."""
    from cipherassay import strategies

    found = (strategies.load(name) for name in strategies.names())
    return [
        {
            "name": one.name,
            "title": one.title,
            "description": one.description,
            "makes": one.makes,
            "form": one.form,
            "passes": list(one.passes),
        }
        for one in found
    ]


def published() -> Entries:
    """Return the published papers."""
    from cipherassay import published

    return [
        {
            "name": paper.id,
            "title": paper.citation.title,
            "authors": list(paper.citation.authors),
            "year": paper.citation.year,
            "tables": len(paper.tables),
            "numbers": len(paper.rows),
            "errata": len(paper.errata),
        }
        for paper in published.load()
    ]


def processors(path: Path | None = None) -> Entries:
    """Return the processors; those of issue slots are there as NAME-infinite too, without limits on ports."""
    from cipherassay import families

    return [asdict(families.family_of(name, path).entry(name, path)) for name in families.names(path)]


def technologies() -> Entries:
    """Return the technologies; those with timing serve synthesis, the others only count cells."""
    from cipherassay.hardware.libraries import technology

    entries = []
    for name in technology.names():
        one = technology.load(name)
        entries.append(
            {
                "name": name,
                "cells": len(one.costs()),
                "nand2_um2": one.gate_equivalent_um2 if one.fpga is None else None,
                "timing": one.liberty is not None or one.fpga is not None,
                "here": one.here(),
                "get": one.obtain.how(),
                "title": one.title,
            }
        )
    return entries
