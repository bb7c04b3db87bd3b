"""Speck32. R. Beaulieu, D. Shors, J. Smith, S. Treatman-Clark, B. Weeks, L. Wingers: The SIMON and SPECK Families, 2013 [BSS13]."""

from cipherassay.ciphers._speck import add_speck
from cipherassay.lang import *

speck = Cipher("Speck32", block_bits=32, key_bits=(64,), structure="ARX", source="[BSS13]")
add_speck(speck, n=16, alpha=7, beta=2, T={4: 22})   # table 4.1
