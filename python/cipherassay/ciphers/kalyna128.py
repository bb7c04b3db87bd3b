"""Kalyna with 128-bit blocks (DSTU 7624:2014). R. Oliynykov et al.: A New Encryption Standard of Ukraine: The Kalyna Block Cipher,
ePrint 2015/650 [OGK15]."""

from cipherassay.ciphers._kalyna import add_kalyna
from cipherassay.lang import *

kalyna = Cipher("Kalyna-128", slug="kalyna128", key_bits=(128, 256), structure="SPN", source="[OGK15]",
                aliases=("kalyna", "dstu7624"))
add_kalyna(kalyna)
