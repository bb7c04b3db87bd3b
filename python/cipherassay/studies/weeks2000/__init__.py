"""The finalists in hardware (Weeks and others, NSA, 2000): tables, figures, the key schedule that jumps."""
