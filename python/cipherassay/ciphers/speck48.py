"""Speck48. R. Beaulieu, D. Shors, J. Smith, S. Treatman-Clark, B. Weeks, L. Wingers: The SIMON and SPECK Families, 2013 [BSS13]."""

from cipherassay.ciphers._speck import add_speck
from cipherassay.lang import *

speck = Cipher("Speck48", block_bits=48, key_bits=(72, 96), structure="ARX", source="[BSS13]")
add_speck(speck, n=24, alpha=8, beta=3, T={3: 22, 4: 23})   # table 4.1
