"""The charts of the study of addressing modes, as Vega-Lite specifications made with Altair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cipherassay.report.elements.ciphers import cipher_colour
from cipherassay.report.elements.figures import specification

_MODES = ("#8a93a0", "#3a9bd9", "#0a9a72", "#d98a00")
_ACROSS = 3


def shares(points: Sequence[dict[str, Any]], order: Sequence[str]) -> dict[str, Any]:
    """Return stacked bars of the cycles of look-ups and of all else; points: cipher, kind, share."""
    import altair as alt

    kinds = ["table look-ups", "all other operations"]
    chart = (
        _chart(points)
        .mark_bar(height={"band": 0.62})
        .encode(
            x=alt.X(
                "share:Q", title="part of the cycles", axis=alt.Axis(format="%", tickCount=5), stack="zero"
            ),
            y=alt.Y("cipher:N", sort=list(order), title=None, axis=alt.Axis(ticks=False, domain=False)),
            color=alt.Color(
                "kind:N",
                title=None,
                scale=alt.Scale(domain=kinds, range=[cipher_colour("Rijndael"), "#c3c9d1"]),
            ),
            order=alt.Order("place:Q"),
            tooltip=["cipher:N", "kind:N", alt.Tooltip("share:Q", format=".1%")],
        )
        .properties(width=480, height=30 * len(order))
    )
    return specification(chart)


def cycles(points: Sequence[dict[str, Any]], order: Sequence[str], modes: Sequence[str]) -> dict[str, Any]:
    """Return bars of cycles by addressing mode, a panel per cipher; points: cipher, machine, mode, cycles."""
    import altair as alt

    panels = []
    across = 2 if len(order) == 4 else _ACROSS  # no panel alone in its row
    for cipher in order:
        here = [p for p in points if p["cipher"] == cipher]
        machines = list(dict.fromkeys(p["machine"] for p in here))
        panels.append(
            _chart(here)
            .mark_bar()
            .encode(
                x=alt.X("machine:N", sort=machines, title=None, axis=alt.Axis(labelAngle=0, ticks=False)),
                xOffset=alt.XOffset("mode:N", sort=list(modes)),
                y=alt.Y("cycles:Q", title="cycles", axis=alt.Axis(tickCount=5), scale=alt.Scale(nice=5)),
                color=alt.Color(
                    "mode:N",
                    title=None,
                    sort=list(modes),
                    scale=alt.Scale(domain=list(modes), range=list(_MODES)),
                ),
                tooltip=["cipher:N", "machine:N", "mode:N", "cycles:Q"],
            )
            .properties(width=230 if across == _ACROSS else 330, height=180, title=cipher)
        )
    starts = range(0, len(panels), across)
    rows = [alt.hconcat(*panels[n : n + across], spacing=24) for n in starts]
    return specification(alt.vconcat(*rows, spacing=18))


def _chart(points: Sequence[dict[str, Any]]) -> Any:
    import altair as alt

    return alt.Chart(alt.Data(values=list(points)))  # type: ignore[no-untyped-call]
