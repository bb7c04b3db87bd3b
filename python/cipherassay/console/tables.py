"""Tables of text that fit a width: columns wrap at words, what has no room stands below its row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cipherassay.console.lines import wrapped

GAP = "  "
LEAST = 20
"""Characters to which a column of text may be narrowed at least; below that it stands below the row."""


def table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool], width: int
) -> list[str]:
    """Return the lines of a table: the head, a rule, the rows.

    Words are never broken; one that is longer than the width makes its line longer.

    Parameters
    ----------
    right : sequence of bool
        Which columns are set right: numbers.
    width : int
        Characters of a line.
    """
    every = [list(columns), *rows]
    widths = {n: max(_longest(row[n]) for row in every) for n in range(len(columns))}
    least = {n: _least([row[n] for row in every], right[n]) for n in widths}
    beside = list(widths)
    while len(beside) > 1 and _sum(least[n] for n in beside) > width:
        # Long texts first, the longest of them; then from the right.
        long = {n: widths[n] if widths[n] > LEAST and not right[n] else 0 for n in beside[1:]}
        beside.remove(max(long, key=lambda n: (long[n], n)))
    _narrow(widths, least, beside, width)
    lines = _row([columns[n] for n in beside], [widths[n] for n in beside], [right[n] for n in beside])
    lines.append("-" * min(_sum(widths[n] for n in beside), width))
    below = [n for n in range(len(columns)) if n not in beside]
    for row in rows:
        lines += _row([row[n] for n in beside], [widths[n] for n in beside], [right[n] for n in beside])
        lines += _below([(columns[n], row[n]) for n in below if row[n]], width)
    return lines


def grid(cells: Sequence[str], width: int) -> list[str]:
    """Return cells side by side in columns of one width, filled downwards, as `ls` has them."""
    if not cells:
        return []
    wide = max(map(len, cells)) + len(GAP)
    columns = max(1, (width - len(GAP)) // wide)
    height = -(-len(cells) // columns)
    return [
        "".join(cell.ljust(wide) for cell in cells[line::height]).rstrip() for line in range(height)
    ]


def _sum(widths: Iterable[int]) -> int:
    every = list(widths)
    return sum(every) + len(GAP) * (len(every) - 1)


def _longest(text: str) -> int:
    return max(map(len, text.split("\n")), default=0)


def _least(cells: Sequence[str], right: bool) -> int:
    """Return how narrow a column may be: the head may wrap; text too, if it is long."""
    head, *rest = cells
    words = max((len(word) for word in head.split()), default=0)
    longest = max(map(_longest, rest), default=0)
    if right or longest <= LEAST:
        return max(words, longest)
    return max(words, LEAST, *(len(word) for cell in rest for word in cell.split()))


def _narrow(widths: dict[int, int], least: dict[int, int], beside: Sequence[int], width: int) -> None:
    """Take from the widest column what is too much, until the columns fit or none can be narrower."""
    while _sum(widths[n] for n in beside) > width:
        able = [n for n in beside if widths[n] > least[n]]
        if not able:
            return
        widths[max(able, key=lambda n: widths[n])] -= 1


def _row(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> list[str]:
    """Return the lines of a row, each cell wrapped at words."""
    parts = [wrapped(cell, wide) for cell, wide in zip(cells, widths, strict=True)]
    lines = []
    for n in range(max(map(len, parts))):
        texts = [part[n] if n < len(part) else "" for part in parts]
        padded = [
            text.rjust(wide) if set_right else text.ljust(wide)
            for text, wide, set_right in zip(texts, widths, right, strict=True)
        ]
        lines.append(GAP.join(padded).rstrip())
    return lines


def _below(named: Sequence[tuple[str, str]], width: int) -> list[str]:
    """Return what has no room beside the other cells, under the row."""
    text = "; ".join(f"{name}: {cell}" if name else cell for name, cell in named)
    indent = " " * 4
    return wrapped(text, width, indent, indent) if text else []
