"""Events in groups, each a function of its own whose values stand in memory between calls.

Groups that are equal but for numbers of iterations are one function, called again: code is small, and what
is computed again need not be written again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from cipherassay.embedded.budget import storage
from cipherassay.embedded.budget.events import Event, Flow
from cipherassay.embedded.budget.step_writer import Key, StepWriter, Window
from cipherassay.ir import Function


class UnsuitableFormError(Exception):
    """The events do not go with this form."""


@dataclass
class Step:
    """A call: the function, the first row of its window (or -1), numbers that it is given by name.

    Those are iterations to begin with (``count`` and the loop's number), and rows (``row`` and the object's).
    """

    function: str
    first: int = -1
    counts: dict[str, int] = field(default_factory=dict)


@dataclass
class StepProgram:
    """Calls in order, functions by name, the bytes of words between calls.

    ``places`` says for each function what its parameters and results are: ``state``, the name of a number
    that it is given, or the object of an array; ``rows``, how many rows are kept of an object.
    """

    steps: list[Step]
    functions: dict[str, Function]
    state: int
    places: dict[str, tuple[list[str], list[str]]]
    rows: dict[str, int]


def stepped(
    made: Flow,
    groups: list[list[Event]],
    name: str,
    window: Window | None = None,
    *,
    given_rows: bool = False,
) -> StepProgram:
    """Return groups of events as functions ``name_0`` … and their calls.

    ``given_rows``: iterations get the row of an array of which some rows are kept, so that those of one kind
    are one function wherever their rows lie.

    Raises
    ------
    Unsuitable
        Something lives in memory in a way that a group cannot have.
    """
    order = [e for g in groups for e in g]
    rows = storage.kept_rows(made, order, {})
    if rows is None:
        raise UnsuitableFormError
    inside = _inside(made, groups)
    writers = [StepWriter(made, rows, g, window, own) for g, own in zip(groups, inside, strict=True)]
    for writer in writers if given_rows else []:
        writer.give_rows()
    began: set[int] = set()
    for writer in writers:
        writer.write_step(began)
        began |= {n for n, iteration in writer.events if iteration >= 0}
    places, state = _places(writers)
    functions: dict[str, Function] = {}
    names: dict[Function, str] = {}
    steps = []
    objects: dict[str, tuple[list[str], list[str]]] = {}
    for k, writer in enumerate(writers):
        later = set().union(*(w.reads for w in writers[k + 1 :]), set())
        function = writer.function(places, state, later)
        if function not in names:
            own = names[function] = f"{name}_{len(names)}"
            functions[own] = replace(function, name=own)
            objects[own] = writer.objects
        steps.append(Step(names[function], writer.first, writer.counts))
    return StepProgram(steps, functions, state, objects, rows)


def _inside(made: Flow, groups: list[list[Event]]) -> list[set[str]]:
    """Return for each group the objects that it writes and reads for itself alone."""
    outside = {made.roots[n] for n, ty in made.function.params if ty.is_array}
    outside |= {made.roots[str(o)] for o in made.function.outputs}
    within: dict[Event, set[int]] = {}
    for k, g in enumerate(groups):
        for event in g:
            within.setdefault(event, set()).add(k)
    shared: list[set[str]] = [set(outside) for _ in groups]
    for (event, _, cell), write in storage.writers(made).items():
        makers = within.get(write[0], set()) if write else set()
        for k in within.get(event, set()) - makers:
            for other in (k, *makers):
                shared[other].add(cell[0])
    return [
        {c[0] for e in g for a in made.accesses[e] for c in a.cells} - s
        for g, s in zip(groups, shared, strict=True)
    ]


def _places(writers: list[StepWriter]) -> tuple[dict[Key, int], int]:
    """Return where each word stands between groups, and how many bytes they take."""
    born: dict[Key, int] = {}
    last: dict[Key, int] = {}
    sizes: dict[Key, int] = {}
    for k, writer in enumerate(writers):
        for key in writer.reads:
            last[key] = k
        for key, (_, ty) in writer.makes.items():
            born.setdefault(key, k)
            if ty.word_bits % 8:
                raise UnsuitableFormError
            sizes[key] = ty.word_bits // 8
    places: dict[Key, int] = {}
    most = 0
    for key in sorted((x for x in born if x in last and last[x] > born[x]), key=lambda x: born[x]):
        taken = [
            (places[o], places[o] + sizes[o]) for o in places if born[o] < last[key] and born[key] < last[o]
        ]
        at = 0
        while any(at < end and start < at + sizes[key] for start, end in taken):
            at += 1
        places[key] = at
        most = max(most, at + sizes[key])
    return places, most
