"""What the columns of results and the tables of queries say, in a sentence each."""

from __future__ import annotations

COLUMNS = {
    "cipher": "the cipher, permutation or function, as its paper writes it",
    "variant": "which variant of the cipher, of a circuit which S-box",
    "part": "the block or function of a design that the number is of; without it, the whole",
    "operation": "what is done: a key setup (`key_setup_encrypt`, …), `encrypt`, `decrypt`, `permute`, "
    "`evaluate`",
    "key_bits": "bits of the key",
    "strategy": "the passes that made the program",
    "level": "`native` (code on this machine), `processor` (a modelled one), `embedded` (a small one), "
    "`hardware`, "
    "`circuit`",
    "target": "the machine, the model or the cell library; several models may stand for one platform",
    "platform": "what the number is for, under one name in our rows and in papers'",
    "configuration": "how it was made, in words for people",
    "implementation": "`ours`, a library with its version, or of a published number the paper",
    "compiler": "compiler and options; of Java how the virtual machine ran",
    "architecture": "how the rounds are laid out: `loop`, `unrolled`, `iterative`, `pipelined`",
    "key_mode": "the keys that it takes: of `one size`, of `several sizes` or `all sizes`, or `one key` "
    "that is part of the code",
    "speed_grade": "which of the designs synthesized of a device, 1 the fastest",
    "metric": "which quantity",
    "value": "the number",
    "unit": "its unit",
    "basis": "`measured`, `simulated`, `synthesized` or `published`",
    "bound": "a limit that no value can beat",
    "certificate": "what is known of the bound, or that the device fails hold",
    "reference": "a number to compare with",
    "reference_source": "where the reference stands",
    "ratio": "value / reference",
    "stable": "whether the machine was steady while it was measured",
    "constant_time": "whether the time depends on neither key nor data; null where that is not known",
    "tools": "what made it, with versions",
    "command": "the command that makes it again",
    "run": "the piece of work that it belongs to; null for what the package brings",
}
"""The columns of `results`: the fields of a row, and its run."""

TABLES = {
    "results": "a number",
    "samples": "the times of one input of a measurement: the fields that it shares with its rows, `input`, "
    "`ticks`, "
    "`cycles`",
    "runs": "a piece of work that made rows: how many (`rows`), on which machine, by which version, commit "
    "and tools",
    "metrics": "a metric: its name, unit, which direction is better (`lower`, `higher`, null) and what it "
    "means",
    "valid": "a number, but no figure of a device that fails hold, and no row that says why there is none",
    "best": "the best valid number of one implementation by cipher, variant, part, operation, key size, "
    "level, target "
    "and metric",
    "published_vs_ours": "a published number and our best for the same: `published`, `ours`, `ratio` (ours "
    "/ published), "
    "`source`, `command`",
}
"""The tables and views that `assay query` sees: what a line of each is."""
