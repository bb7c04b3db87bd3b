"""Ciphers on small processors: programs split into machine words, assembly text, cycles in a simulator."""
