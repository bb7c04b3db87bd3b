"""What CAST-128 and CAST-256 share: the round functions. C. Adams: The CAST-128 Encryption Algorithm, RFC 2144, May 1997 [RFC2144]."""

from cipherassay.ciphers._cast_boxes import BOXES
from cipherassay.lang import *

S = [table(u32, [int(box[i:i + 8], 16) for i in range(0, 2048, 8)], name=f"S{n}") for n, box in enumerate(BOXES, 1)]   # appendix A: S1 to S8


def looked_up(I):                                    # section 2.2: Ia to Id, the bytes of I from the highest
    return [S[j][byte(I, 3 - j)] for j in range(4)]


@function
def f1(D, Kr, Km):                                   # section 2.2: type 1
    Sa, Sb, Sc, Sd = looked_up(rotl(Km + D, Kr))
    return ((Sa ^ Sb) - Sc) + Sd


@function
def f2(D, Kr, Km):                                   # section 2.2: type 2
    Sa, Sb, Sc, Sd = looked_up(rotl(Km ^ D, Kr))
    return ((Sa - Sb) + Sc) ^ Sd


@function
def f3(D, Kr, Km):                                   # section 2.2: type 3
    Sa, Sb, Sc, Sd = looked_up(rotl(Km - D, Kr))
    return ((Sa + Sb) ^ Sc) - Sd
