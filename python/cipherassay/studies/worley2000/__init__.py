"""The finalists on PA-RISC and IA-64 (Worley and others, HP, 2000): kernels, distributions, equation sets."""
