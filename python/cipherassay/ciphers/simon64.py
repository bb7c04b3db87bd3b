"""Simon64. R. Beaulieu, D. Shors, J. Smith, S. Treatman-Clark, B. Weeks, L. Wingers: The SIMON and SPECK Families, 2013 [BSS13]."""

from cipherassay.ciphers._simon import add_simon
from cipherassay.lang import *

simon = Cipher("Simon64", block_bits=64, key_bits=(96, 128), structure="Feistel", source="[BSS13]")
add_simon(simon, n=32, T={3: 42, 4: 44}, j={3: 2, 4: 3})   # table 3.1
