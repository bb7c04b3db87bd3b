"""Simon48. R. Beaulieu, D. Shors, J. Smith, S. Treatman-Clark, B. Weeks, L. Wingers: The SIMON and SPECK Families, 2013 [BSS13]."""

from cipherassay.ciphers._simon import add_simon
from cipherassay.lang import *

simon = Cipher("Simon48", block_bits=48, key_bits=(72, 96), structure="Feistel", source="[BSS13]")
add_simon(simon, n=24, T={3: 36, 4: 36}, j={3: 0, 4: 1})   # table 3.1
