"""Timelines of simulated runs, as text and as a page of its own: one row per operation, one column per cycle.

``D`` inserted or due, ``.`` waiting, ``E`` issue and execution, ``-`` done but not yet retired, ``R`` retired;
in order, there is no queue, and an operation ends with its result.
"""

from __future__ import annotations

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
    for event in events:
        lines.append(
            f"{event.line:>5}  {_name(event):<{width}}  {event.issue:>5} {event.finish:>5}  "
            f"{strip(event, 0, shown):<{shown + 1}}  {event.reason}".rstrip()
        )
    if rows is not None and len(simulation.events) > rows:
        lines.append(f"… {len(simulation.events) - rows:,} more operations")
    return "\n".join(lines) + "\n"


def _name(event: Event) -> str:
    return event.text if event.active else f"({event.text})"


def html(simulation: Simulation, *, title: str, subtitle: str = "") -> str:
    """Return a timeline as one HTML page without a reference to anything outside it."""
    import jinja2

    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    last = max((event.retire for event in simulation.events), default=0)
    rows = [
        {
            "event": event,
            "name": _name(event),
            "parts": [{"stage": s, "start": a, "length": b - a} for s, a, b in stages(event)],
        }
        for event in simulation.events
    ]
    return environment.from_string(_PAGE).render(
        title=title, subtitle=subtitle, rows=rows, cycles=last + 1, simulation=simulation, legend=_LEGEND
    )


_LEGEND = (
    ("wait", "due or inserted, waiting"),
    ("run", "executing"),
    ("done", "done, not retired"),
    ("retire", "retired"),
)

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{{ title }}</title>
<style>
body { font: 14px/1.4 system-ui, sans-serif; margin: 1.5rem; color: #1b1b1b; background: #fff; }
h1 { font-size: 1.2rem; margin: 0 0 .3rem; }
p { margin: .2rem 0 .8rem; }
.scroll { overflow: auto; max-height: 85vh; border: 1px solid #ccc; }
table { border-collapse: collapse; }
th, td { padding: 0 .6em 0 .4em; text-align: left; white-space: pre; font: 12px/18px ui-monospace, monospace; }
thead th { position: sticky; top: 0; background: #f3f3f3; z-index: 2; }
td.op, th.op { position: sticky; left: 0; background: #fff; z-index: 1; }
thead th.op { background: #f3f3f3; z-index: 3; }
tr:hover td { background: #fff6dc; }
tr.off td { color: #888; }
td.n { text-align: right; }
svg { display: block; }
.wait { fill: #e3b23c; } .run { fill: #2a6f97; } .done { fill: #b8c4cc; } .retire { fill: #57886c; }
.key { display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 1em; }
.key.wait { background: #e3b23c; } .key.run { background: #2a6f97; }
.key.done { background: #b8c4cc; } .key.retire { background: #57886c; }
line { stroke: #e6e6e6; }
</style>
<h1>{{ title }}</h1>
<p>{% if subtitle %}{{ subtitle }}<br>{% endif %}
{{ simulation.cycles }} cycles, {{ simulation.operations }} operations, {{ simulation.useful }} with an effect;
{% if simulation.stalls %}lost to {% for kind, lost in simulation.stalls.items() %}{{ kind }} {{ lost }}{{ ", " if not loop.last }}{% endfor %}{% else %}no stalls{% endif %}.<br>
{% for stage, meaning in legend %}<span class="key {{ stage }}"></span>{{ meaning }}{% endfor %}</p>
<div class="scroll"><table>
<thead><tr><th class="op">line  operation</th><th>issue</th><th>done</th><th><svg width="{{ cycles * 12 }}" height="18" role="img" aria-label="cycles">
{% for cycle in range(0, cycles, 10) %}<text x="{{ cycle * 12 }}" y="13" font-size="11">{{ cycle }}</text>{% endfor %}
</svg></th><th>waited for</th></tr></thead>
<tbody>
{% for row in rows %}
<tr{% if not row.event.active %} class="off"{% endif %}><td class="op">{{ "%4d" % row.event.line }}  {{ row.name }}</td><td class="n">{{ row.event.issue }}</td><td class="n">{{ row.event.finish }}</td><td><svg width="{{ cycles * 12 }}" height="18">{% for part in row.parts %}<rect class="{{ part.stage }}" x="{{ part.start * 12 }}" y="3" width="{{ part.length * 12 - 1 }}" height="12"><title>{{ part.stage }}: cycle {{ part.start }}{% if part.length > 1 %} to {{ part.start + part.length - 1 }}{% endif %}{% if row.event.reason %}; {{ row.event.reason }}{% endif %}</title></rect>{% endfor %}</svg></td><td>{{ row.event.reason }}</td></tr>
{% endfor %}
</tbody></table></div>
</html>
"""
