"""Simon128. R. Beaulieu, D. Shors, J. Smith, S. Treatman-Clark, B. Weeks, L. Wingers: The SIMON and SPECK Families, 2013 [BSS13]."""

from cipherassay.ciphers._simon import add_simon
from cipherassay.lang import *

simon = Cipher("Simon128", key_bits=(128, 192, 256), structure="Feistel", source="[BSS13]")
add_simon(simon, n=64, T={2: 68, 3: 69, 4: 72}, j={2: 2, 3: 3, 4: 4})   # table 3.1
