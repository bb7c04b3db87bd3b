"""Kalyna with 256-bit blocks (DSTU 7624:2014). R. Oliynykov et al.: A New Encryption Standard of Ukraine: The Kalyna Block Cipher,
ePrint 2015/650 [OGK15]."""

from cipherassay.ciphers._kalyna import add_kalyna
from cipherassay.lang import *

kalyna = Cipher("Kalyna-256", slug="kalyna256", block_bits=256, key_bits=(256, 512), structure="SPN", source="[OGK15]")
add_kalyna(kalyna)
