"""Programs of bytes as text, as the pass `split-words` makes them, for tests of small processors."""

from __future__ import annotations

from collections.abc import Iterable

from cipherassay._engine import Program

COMPARISONS = ("eq", "ne", "ltu")


def listed(parts: Iterable[object]) -> str:
    """Return parts with commas between them."""
    return ", ".join(map(str, parts))


def parsed(*functions: str) -> Program:
    """Return a program of functions."""
    return Program.parse('program "t" {\n}\n\n' + "\n\n".join(functions) + "\n")


def function(name: str, params: str, results: str, lines: Iterable[str], returned: str) -> str:
    """Return the text of a function."""
    body = "".join(f"  {line}\n" for line in lines)
    return f"func @{name}({params}) -> ({results}) {{\n{body}  return {returned}\n}}"


def wide(name: str) -> str:
    """Return a function of bytes with the name of one of ``split-words``: back ends know what it does."""
    kind, bits, *shift = name.split("_")
    count = (int(bits) + 7) // 8
    more = 1 if len(shift) == 2 else 0 if shift else count
    params = listed(f"%{n}: u8" for n in range(count + more))
    if kind in COMPARISONS:
        return function(name, params, "u1", ["%r: u1 = const 0"], "%r")
    return function(name, params, listed(["u8"] * count), [], listed(f"%{n}" for n in range(count)))


def call(name: str, made: str, operands: Iterable[str]) -> list[str]:
    """Return the lines that call a function of `wide`; its results are ``made`` with numbers behind."""
    kind, bits, *_ = name.split("_")
    if kind in COMPARISONS:
        return [f"{made}: u1 = call @{name}({listed(operands)})", f"{made}0: u8 = zext {made}"]
    results = listed(f"{made}{n}: u8" for n in range((int(bits) + 7) // 8))
    return [f"{results} = call @{name}({listed(operands)})"]


ROWS = """func @f(%B: u8[16]) -> (u8[6][4]) {
  %W: u8[6][4] = array
  %C: u8[6][4] = steps 6 "i" from 0 step 1 (%W) {
    body 0..5 (%i: index, %D: u8[6][4]) {
      %v: u8 = word %i
      %E: u8[6][4] = steps 4 "j" from 0 step 1 (%D) {
        body 0..3 (%j: index, %F: u8[6][4]) {
          %G: u8[6][4] = store %F[%i][%j], %v
          yield %G
        }
      }
      yield %E
    }
  }
  %H: u8[6][4] = store %C[0][1], 0x33
  return %H
}"""
"""A function that fills six rows with their numbers, then one byte of the first row."""


def kept_rows(first: int) -> list[int]:
    """Return what a window of two rows of `ROWS` holds; those that no loop counts begin 1, 0, 2, 3, 4, 5."""
    window = [row if row < 6 else 9 for row in (first, first + 1) for _ in range(4)]
    if first == 0:
        window[4 + 1] = 0x33
    return window
