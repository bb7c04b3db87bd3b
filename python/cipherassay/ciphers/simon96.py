"""Simon96. R. Beaulieu, D. Shors, J. Smith, S. Treatman-Clark, B. Weeks, L. Wingers: The SIMON and SPECK Families, 2013 [BSS13]."""

from cipherassay.ciphers._simon import add_simon
from cipherassay.lang import *

simon = Cipher("Simon96", block_bits=96, key_bits=(96, 144), structure="Feistel", source="[BSS13]")
add_simon(simon, n=48, T={2: 52, 3: 54}, j={2: 2, 3: 3})   # table 3.1
