"""Speck64. R. Beaulieu, D. Shors, J. Smith, S. Treatman-Clark, B. Weeks, L. Wingers: The SIMON and SPECK Families, 2013 [BSS13]."""

from cipherassay.ciphers._speck import add_speck
from cipherassay.lang import *

speck = Cipher("Speck64", block_bits=64, key_bits=(96, 128), structure="ARX", source="[BSS13]")
add_speck(speck, n=32, alpha=8, beta=3, T={3: 26, 4: 27})   # table 4.1
