"""Timelines of simulated runs, as text and as a page of its own: a row per operation, a column per cycle.

``D`` inserted or due, ``.`` waiting, ``E`` issue and execution, ``-`` done but not yet retired, ``R``
retired; in order, there is no queue, and an operation ends with its result.
"""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

from cipherassay.processors.simulating import Event, Simulation

if TYPE_CHECKING:
    from typing import Literal

    Stage = Literal["wait", "run", "done", "retire"]

WIDEST = 160
"""Cycles that the text shows side by side."""
LEGEND = "D due or inserted, . waiting, E executing, - done, R retired; (…) predicate false"


def stages(event: Event) -> list[tuple[Stage, int, int]]:
    """Return the parts of an operation's life: name, first cycle, cycle after the last."""
    parts: list[tuple[Stage, int, int]] = [
        ("wait", event.insert, event.issue),
        ("run", event.issue, event.finish),
        ("done", event.finish, event.retire),
        ("retire", event.retire, event.retire + 1 if event.retire > event.finish else event.retire),
    ]
    return [part for part in parts if part[2] > part[1]]


def strip(event: Event, first: int, last: int) -> str:
    """Return a row's letters for the cycles ``first`` to ``last``."""
    letters = {"wait": ".", "run": "E", "done": "-", "retire": "R"}
    row = [" "] * (last - first + 1)
    for stage, start, end in stages(event):
        for cycle in range(max(start, first), min(end, last + 1)):
            row[cycle - first] = "D" if stage == "wait" and cycle == start else letters[stage]
    return "".join(row).rstrip()


def text(simulation: Simulation, *, rows: int | None = None) -> str:
    """Return a timeline as text: line, operation, cycles of issue and finish, letters, what kept it."""
    events = simulation.events[:rows]
    if not events:
        return "no operations\n"
    last = max(event.retire for event in events)
    shown = min(last, WIDEST - 1)
    width = max(len(_name(event)) for event in events)
    ruler = "".join(str(cycle // 10 % 10) if cycle % 10 == 0 else " " for cycle in range(shown + 1))
    head = f"{'line':>5}  {'operation':<{width}}  {'issue':>5} {'done':>5}  "
    lines = [LEGEND, (head + ruler).rstrip()]
    lines += [
        f"{event.line:>5}  {_name(event):<{width}}  {event.issue:>5} {event.finish:>5}  "
        f"{strip(event, 0, shown):<{shown + 1}}  {event.reason}".rstrip()
        for event in events
    ]
    if rows is not None and len(simulation.events) > rows:
        lines.append(f"… {len(simulation.events) - rows:,} more operations")
    return "\n".join(lines) + "\n"


def _name(event: Event) -> str:
    return event.text if event.active else f"({event.text})"


def html(simulation: Simulation, *, title: str, subtitle: str = "") -> str:
    """Return a timeline as one HTML page without a reference to anything outside it."""
    import jinja2

    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    page = resources.files("cipherassay.processors").joinpath("timeline.html").read_text(encoding="utf-8")
    last = max((event.retire for event in simulation.events), default=0)
    rows = [
        {
            "event": event,
            "name": _name(event),
            "parts": [{"stage": s, "start": a, "length": b - a} for s, a, b in stages(event)],
        }
        for event in simulation.events
    ]
    return environment.from_string(page).render(
        title=title, subtitle=subtitle, rows=rows, cycles=last + 1, simulation=simulation, legend=_LEGEND
    )


_LEGEND = (
    ("wait", "due or inserted, waiting"),
    ("run", "executing"),
    ("done", "done, not retired"),
    ("retire", "retired"),
)
