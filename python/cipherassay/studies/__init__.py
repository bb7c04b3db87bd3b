"""Studies: what exists for one paper alone, a package each, found by scanning this folder.

A study is named as its paper's data (`cipherassay.published`). It may bring, each optional:

``sections/``
    Sections of the report: ``ORDER``, ``section(data) -> Section | None``, as in ``report/sections``.
``additions/SECTION.py``
    What the section of this name shows besides; what that is says the section's module.
``parts.py``
    ``parts(ciphers, options, place) -> list[Part]``: the jobs whose rows its sections read.
``kernels.py``, ``pentiums.py``, ``key_sizes.py``
    Kernels that it asks for, and key sizes (`processors.report_list`, `x86.report_list`, `jobs.key_sizes`).
``verbs/``
    Verbs of `assay study`: ``register(app)``, as in ``cli``.
``source.py``
    Rows that queries see: ``READS``, ``runs()``, as `results.sources` says.
``verification.py``
    Functions named as the kinds of kept artefacts that are its own, as `keeping.verification` says.
``strategies/*.toml``
    Strategies that do what its paper did.

General code imports no study; a study imports what it needs, but no other study.
"""
