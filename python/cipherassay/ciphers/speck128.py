"""Speck128. R. Beaulieu, D. Shors, J. Smith, S. Treatman-Clark, B. Weeks, L. Wingers: The SIMON and SPECK Families, 2013 [BSS13]."""

from cipherassay.ciphers._speck import add_speck
from cipherassay.lang import *

speck = Cipher("Speck128", key_bits=(128, 192, 256), structure="ARX", source="[BSS13]")
add_speck(speck, n=64, alpha=8, beta=3, T={2: 32, 3: 33, 4: 34})   # table 4.1
