"""The S-box laboratory: boxes, targets, circuits, their search, and the library of the best ones.

``boxes`` names S-boxes and reads a user's own; ``targets`` are gate sets and machines, one file each;
``searching`` runs the engine's searches; ``library`` keeps the best circuit of each box, target and
objective. The engine reads, checks and measures (`crates/circuit`), searches and proves
(`crates/circuit-search`).
"""
