"""GIFT-128. S. Banik, S. K. Pandey, T. Peyrin, Y. Sasaki, S. M. Sim, Y. Todo: GIFT: A Small Present, CHES 2017 [BPP17]."""

from cipherassay.ciphers._gift import add_gift
from cipherassay.lang import *

gift = Cipher("GIFT-128", slug="gift128", key_bits=(128,), structure="SPN", source="[BPP17]")
add_gift(gift, n=128, number=40)
