"""Draw the README's picture: area against throughput of devices, ours beside the paper's.

Usage: python scripts/documents/picture.py

It is the overview's figure of a report, from what the package keeps alone: nothing is synthesized. The SVG
has the colours of the report's light and dark themes, and a ground of its own.
"""

from __future__ import annotations

import re
from pathlib import Path

from cipherassay.ciphers import papers_table
from cipherassay.hardware import source
from cipherassay.report.data import ReportData
from cipherassay.report.elements.figures import Figure
from cipherassay.report.page import rendering
from cipherassay.report.sections import pictures
from cipherassay.results.published import published_rows

PICTURE = Path(__file__).parents[2] / "docs" / "assets" / "area-throughput.svg"
STYLE = Path(rendering.__file__).parent / "site.css"


def svg() -> str:
    """Return the picture."""
    data = ReportData(
        rows=(),
        published=[row for row in published_rows() if row.level == "hardware"],
        strategies={one["name"]: "" for one in papers_table()},
        hardware=[row for name, rows in source.runs() if name.endswith("osu050") for row in rows],
    )
    section = pictures.section(data)
    blocks = section.flat if section else []
    figure = next(one for one in blocks if isinstance(one, Figure) and one.name == "area-throughput")
    (drawn,) = figure.page_svgs()
    light, dark = re.findall(r"^\s*(--paper:.*;)$", STYLE.read_text(encoding="utf-8"), re.M)[:2]
    style = (
        f":root {{ {light} }} @media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }} "
        "text { font-family: Inter, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif }"
    )
    ground = f'<style>{style}</style><rect width="100%" height="100%" fill="var(--paper)"/>'
    head = '<svg xmlns="http://www.w3.org/2000/svg"'
    return re.sub(r"(<svg[^>]*>)", rf"\1{ground}", drawn, count=1).replace("<svg", head, 1) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(svg(), encoding="utf-8")
