"""Rijndael with 192-bit blocks. J. Daemen, V. Rijmen: AES Proposal: Rijndael, version 2, September 1999 [DR99]."""

from cipherassay.ciphers._rijndael import add_rijndael
from cipherassay.lang import *

rijndael = Cipher("Rijndael-192", slug="rijndael192", block_bits=192, key_bits=(128, 192, 256), structure="SPN", source="[DR99]")
add_rijndael(rijndael)
