"""Simon32. R. Beaulieu, D. Shors, J. Smith, S. Treatman-Clark, B. Weeks, L. Wingers: The SIMON and SPECK Families, 2013 [BSS13]."""

from cipherassay.ciphers._simon import add_simon
from cipherassay.lang import *

simon = Cipher("Simon32", block_bits=32, key_bits=(64,), structure="Feistel", source="[BSS13]")
add_simon(simon, n=16, T={4: 32}, j={4: 0})   # table 3.1
