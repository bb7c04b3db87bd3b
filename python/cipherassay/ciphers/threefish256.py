"""Threefish-256. N. Ferguson et al.: The Skein Hash Function Family, version 1.3, October 2010 [FLSWBKCW10]"""

from cipherassay.ciphers._threefish import add_threefish
from cipherassay.lang import *

threefish = Cipher("Threefish-256", slug="threefish256", block_bits=256, key_bits=(256,), tweak_bits=128, structure="ARX", source="[FLSWBKCW10]")
R = [(14, 16), (52, 57), (23, 40), (5, 37), (25, 33), (46, 12), (58, 22), (32, 32)]  # section 3.3.1: rotation constants
add_threefish(threefish, R, pi=[0, 3, 2, 1], Nr=72)                      # section 3.3: permutation of words, rounds
