"""The report's tables as Markdown, CSV and LaTeX."""

from __future__ import annotations

import csv
import io

from cipherassay.report.elements.tables import Cell, Table

_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "σ": r"$\sigma$", "µ": r"$\mu$", "²": r"$^2$", "×": r"$\times$", "≤": r"$\leq$", "≥": r"$\geq$",
    "→": r"$\rightarrow$", "–": "--", "…": r"\ldots{}", "·": r"$\cdot$", "°": r"$^\circ$",
}  # fmt: skip


def markdown(table: Table) -> str:
    """Return the table in Markdown, with its title above and its notes below."""
    cells = [[_whole(cell).replace("|", "\\|") for cell in line] for line in table.lines]
    head = [column.heading.replace("|", "\\|") for column in table.columns]
    widths = [max([3, len(head[n]), *(len(line[n]) for line in cells)]) for n in range(len(head))]
    rules = [
        "-" * width if c.text else "-" * (width - 1) + ":"
        for c, width in zip(table.columns, widths, strict=True)
    ]

    def line_of(parts: list[str]) -> str:
        padded = (
            part.ljust(width) if column.text else part.rjust(width)
            for part, width, column in zip(parts, widths, table.columns, strict=True)
        )  # fmt: skip
        return "| " + " | ".join(padded) + " |"

    lines = [f"**{table.title}**", "", line_of(head), line_of(rules), *map(line_of, cells)]
    return "\n".join([*lines, *(f"\n{note}" for note in table.notes)]) + "\n"


def comma_separated(table: Table) -> str:
    """Return the table as CSV: one line of headings, numbers in full precision, empty where there is none."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([column.heading for column in table.columns])
    for line in table.lines:
        writer.writerow([cell.number if cell.number is not None else _plain(cell.text) for cell in line])
    return out.getvalue()


def latex(table: Table) -> str:
    """Return the table for LaTeX (package booktabs), caption included."""
    form = "".join("l" if column.text else "r" for column in table.columns)
    lines = [
        "% needs \\usepackage{booktabs}",
        "\\begin{table}",
        "\\centering\\small",
        f"\\caption{{{_escape(table.title)}}}",
        f"\\begin{{tabular}}{{{form}}}",
        "\\toprule",
        *_latex_head(table),
        "\\midrule",
    ]
    lines += [" & ".join(_escape(_whole(cell)) for cell in line) + " \\\\" for line in table.lines]
    lines += ["\\bottomrule", "\\end{tabular}"]
    lines += [f"\\par\\smallskip\\footnotesize {_escape(note)}" for note in table.notes]
    return "\n".join([*lines, "\\end{table}"]) + "\n"


def _latex_head(table: Table) -> list[str]:
    groups = [(group, count) for group, count in column_groups(table)]
    lines = []
    if any(group for group, _ in groups):
        spans = [f"\\multicolumn{{{n}}}{{c}}{{{_escape(group)}}}" for group, n in groups]
        lines.append(" & ".join(spans) + " \\\\")
    heads = [c.title + (f" ({c.unit})" if c.unit else "") for c in table.columns]
    return [*lines, " & ".join(map(_escape, heads)) + " \\\\"]


def column_groups(table: Table) -> list[tuple[str, int]]:
    """Return the headings above the headings, each with the number of columns that it spans."""
    groups: list[tuple[str, int]] = []
    for column in table.columns:
        if groups and groups[-1][0] == column.group:
            groups[-1] = (column.group, groups[-1][1] + 1)
        else:
            groups.append((column.group, 1))
    return groups


def _escape(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


def _whole(cell: Cell) -> str:
    """Return a cell's text with its second line."""
    return f"{cell.text} ({cell.under})" if cell.under else cell.text


def _plain(text: str) -> str:
    return "" if text == "–" else text
