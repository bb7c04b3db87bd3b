"""Cipherassay: what a block cipher costs, on processors and in gates, from one description."""
