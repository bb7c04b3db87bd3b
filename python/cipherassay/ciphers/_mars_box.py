"""The S-box of MARS by its rule, section "S-box design" [IBM99]."""

from hashlib import sha1

def generated_box():                                 # S-box design: words from SHA-1, then 3 S[i] where a later word is too near
    words = []
    for i in range(0, 512, 5):
        block = b"".join(x.to_bytes(4, "little") for x in (i, 0xB7E15162, 0x243F6A88, 0x02917D59))
        words += [int.from_bytes(sha1(block).digest()[n:n + 4], "little") for n in range(0, 20, 4)]
    words = words[:512]
    for i in range(512):
        later = words[i + 1:256 if i < 256 else 512]
        if any((words[i] ^ w).to_bytes(4, "big").count(0) >= 2 for w in later):
            words[i] = 3 * words[i] % 2**32
    return words
