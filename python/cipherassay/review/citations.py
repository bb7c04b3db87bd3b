"""Whether a cipher file says where each of its steps comes from."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

from cipherassay.errors import Place


def functions_without_source(path: Path) -> list[Place]:
    """Return the functions that cite nothing: no comment on their first lines, no docstring.

    A step is cited by a comment beside its decorator or its ``def``, on the line above or the first line
    of its body, or by a docstring.
    """
    text = path.read_text(encoding="utf-8")
    commented = {
        token.start[0]
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT and len(token.string.strip("# ")) > 2
    }
    lines = text.splitlines()
    places = []
    for node in ast.parse(text).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        beside = range(first - 1, node.body[0].lineno + 1)
        above_is_code = first >= 2 and not lines[first - 2].lstrip().startswith("#")
        cited = any(n in commented for n in beside if not (n == first - 1 and above_is_code))
        if not cited and ast.get_docstring(node) is None:
            places.append(Place(str(path), node.lineno, node.col_offset + 1, lines[node.lineno - 1]))
    return places
