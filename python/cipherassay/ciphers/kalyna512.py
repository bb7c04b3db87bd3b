"""Kalyna with 512-bit blocks (DSTU 7624:2014). R. Oliynykov et al.: A New Encryption Standard of Ukraine: The Kalyna Block Cipher,
ePrint 2015/650 [OGK15]."""

from cipherassay.ciphers._kalyna import add_kalyna
from cipherassay.lang import *

kalyna = Cipher("Kalyna-512", slug="kalyna512", block_bits=512, key_bits=(512,), structure="SPN", source="[OGK15]")
add_kalyna(kalyna)
