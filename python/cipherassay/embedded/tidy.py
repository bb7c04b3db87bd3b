"""AVR text without what changes nothing, and with copies of pairs as one instruction."""

from __future__ import annotations

import re


def tidied(lines: list[str]) -> list[str]:
    """Leave out loads of Z's upper half that change nothing; make copies of pairs one."""
    out: list[str] = []
    high = pair = ""
    for line in lines:
        if line.endswith(":"):
            high = pair = ""
        elif line.startswith("ldi r31,"):
            if line == high:
                continue
            high, pair = line, ""
        elif line == "movw r30, r26":
            if line == pair:
                continue
            high, pair = "", line
        elif match := re.match(r"(\w+) (r30|r31)\b", line):
            if match[1] not in ("st", "std", "sts", "cp", "cpc", "cpi", "push", "out"):
                pair = ""
                if match[2] == "r31" or match[1] in ("movw", "adiw", "sbiw"):
                    high = ""
        elif re.match(r"(adiw|subi|sbiw) r26", line):
            pair = ""
        if out and (fused := _pair(out[-1], line)):
            out[-1] = fused
            continue
        out.append(line)
    return out


def _pair(first: str, second: str) -> str:
    a, b = (re.fullmatch(r"mov r(\d+), r(\d+)", x) for x in (first, second))
    if a is None or b is None:
        return ""
    (d, s), (e, t) = ([int(x[1]), int(x[2])] for x in (a, b))
    if d // 2 == e // 2 and s // 2 == t // 2 and d != e and d % 2 == s % 2 and e % 2 == t % 2:
        return f"movw r{min(d, e)}, r{min(s, t)}"
    return ""
