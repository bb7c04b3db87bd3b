"""`assay diff`: which numbers changed between two sets of results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.console.help import RESULTS
from cipherassay.console.output import Json, show_table, write_json
from cipherassay.console.progress import say
from cipherassay.errors import UsageError, nearest

if TYPE_CHECKING:
    from cipherassay.results.difference import Change, Difference

_SHOWN = (
    "cipher", "variant", "part", "operation", "key_bits", "strategy", "target", "configuration", "metric",
)  # fmt: skip
_WHICH = ("all", "better", "worse")
_Side = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="A folder of results, a run's file, a report's rows.json, or the name of a run of the store.",
        show_default=False,
    ),
]
_Field = Annotated[
    list[str] | None,
    typer.Option(metavar="FIELD=VALUE", help="Only rows with this value of a field; several for several."),
]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("diff", rich_help_panel=RESULTS)(diff)


def diff(
    before: _Side,
    after: _Side,
    where: _Field = None,
    only: Annotated[str, typer.Option(metavar="|".join(_WHICH), help="Which changes to show.")] = _WHICH[0],
    tolerance: Annotated[
        float, typer.Option(metavar="SHARE", min=0.0, help="Leave out smaller changes: 0.02 for 2 %.")
    ] = 0.0,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD", help="Compare rows that differ in it: `target` for two machines."),
    ] = None,
    lines: Annotated[int, typer.Option(metavar="N", min=1, help="How many to print.")] = 40,
    json: Json = False,
) -> None:
    """Show which numbers changed between two sets of results.

    With the ratio after / before, the greatest change first.
    Times that are measured differ a little from run to run: `--tolerance 0.02`. With `--json` all changes,
    and what is on one side alone.
    """
    from cipherassay import tools
    from cipherassay.results.difference import difference, read_side
    from cipherassay.results.store import Store

    tools.require_packages("pyarrow")
    if only not in _WHICH:
        raise UsageError("R029", f"`--only {only}` is unknown", help=nearest(only, _WHICH))
    wanted = [_field(text) for text in where or ()]
    old, new = (
        [row for row in read_side(side, Store()) if all(_text(row[n]) == value for n, value in wanted)]
        for side in (before, after)
    )
    found = difference(old, new, ignoring=ignore or (), tolerance=tolerance)
    changed = [one for one in found.changed if only == _WHICH[0] or one.better is (only == "better")]
    if json:
        write_json(_document(found, changed))
    else:
        _show(found, changed, lines)


def _field(text: str) -> tuple[str, str]:
    from cipherassay.results import FIELDS

    name, equals, value = text.partition("=")
    if not equals or name not in FIELDS:
        help = nearest(name, FIELDS) if equals else "--where metric=cycles"
        raise UsageError("R030", f"`--where {text}` names no field of rows", help=help)
    return name, value


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _document(found: Difference, changed: list[Change]) -> dict[str, Any]:
    return {
        "changed": [
            {**one.row, "before": one.before, "after": one.after, "ratio": one.ratio, "better": one.better}
            for one in changed
        ],
        "same": found.same,
        "only_before": [dict(row) for row in found.only_before],
        "only_after": [dict(row) for row in found.only_after],
    }


def _show(found: Difference, changed: list[Change], lines: int) -> None:
    shown = changed[:lines]
    columns = [name for name in _SHOWN if any(one.row[name] is not None for one in shown)]
    words = {True: "better", False: "worse", None: ""}
    body = [
        [*(one.row[name] for name in columns), one.before, one.after, _ratio(one), words[one.better]]
        for one in shown
    ]
    if body:
        show_table([*columns, "before", "after", "after / before", ""], body)
    left = f" ({len(changed) - lines} more: --lines)" if len(changed) > lines else ""
    say(
        f"{len(changed)} numbers changed{left}, {found.same} are the same, "
        f"{len(found.only_before)} are only before, {len(found.only_after)} only after"
    )


def _ratio(change: Change) -> str:
    return "" if change.ratio is None else f"{change.ratio:.4g}"
