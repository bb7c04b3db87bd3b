"""Speck96. R. Beaulieu, D. Shors, J. Smith, S. Treatman-Clark, B. Weeks, L. Wingers: The SIMON and SPECK Families, 2013 [BSS13]."""

from cipherassay.ciphers._speck import add_speck
from cipherassay.lang import *

speck = Cipher("Speck96", block_bits=96, key_bits=(96, 144), structure="ARX", source="[BSS13]")
add_speck(speck, n=48, alpha=8, beta=3, T={2: 28, 3: 29})   # table 4.1
