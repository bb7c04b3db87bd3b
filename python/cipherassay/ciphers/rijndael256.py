"""Rijndael with 256-bit blocks. J. Daemen, V. Rijmen: AES Proposal: Rijndael, version 2, September 1999 [DR99]."""

from cipherassay.ciphers._rijndael import add_rijndael
from cipherassay.lang import *

rijndael = Cipher("Rijndael-256", slug="rijndael256", block_bits=256, key_bits=(128, 192, 256), structure="SPN", source="[DR99]")
add_rijndael(rijndael)
