"""Steps of two operands from a graph: what changes in place, what stays in memory, what comes first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from cipherassay.errors import DescriptionError
from cipherassay.x86.graph import CELLS, SUMS, Graph, Node, Stored

ANY, BYTES, COUNT = 0b11101111, 0b00001111, 0b00000010
"""Registers: all but the stack's, those that have bytes, the one that counts."""
_LATENCY = {"lookup": 3, "leaf": 3, "mul": 4, "bswap": 2}


@dataclass
class Step:
    """An instruction before it has registers.

    `operands` are values with how they are used (``read``, ``write``, ``change``) and the registers that they
    can be in; in the texts ``%0``, ``%1`` … stand for them and ``{m}`` for the last one in memory. `first` is
    for the case that the step is the first that changes its first operand. `cell` is the byte of a word
    between regions that it accesses.
    """

    operands: list[tuple[int, str, int]]
    plain: str
    first: str = ""
    folded: str = ""
    first_folded: str = ""
    again: bool = False
    memory: str = ""
    cell: int | None = None


@dataclass(eq=False)
class Steps:
    """Steps in a legal order, and pairs that keep their order."""

    steps: list[Step] = field(default_factory=list)
    before: set[tuple[int, int]] = field(default_factory=set)


class Selection:
    """Selects the steps of a graph.

    ``addresses`` say where in which object each name lies, ``same`` which results lie where a parameter does,
    ``counter`` which register holds the index of the loop around, ``fixed`` which hold words between regions.
    """

    def __init__(
        self,
        graph: Graph,
        addresses: dict[str, tuple[str, int]],
        same: dict[str, str],
        counter: str = "",
        fixed: Mapping[int, str] | None = None,
    ) -> None:
        self.graph, self.addresses, self.same, self.counter = graph, addresses, same, counter
        self.fixed = fixed or {}
        self.out = Steps()
        self.value: dict[Node, int] = {}
        self.values = 0
        self.scaled: dict[Node, Node] = {}
        self.makers: dict[Node, list[int]] = {}
        self.readers: dict[Node, list[int]] = defaultdict(list)
        self.loads: dict[str, list[int]] = defaultdict(list)
        self.looked_up: set[str] = set()
        self.accesses: dict[Node | Stored, list[int]] = defaultdict(list)
        self.ordered = {one for pair in graph.order for one in pair}
        first = {a for a, b in graph.order if isinstance(a, Stored) and isinstance(b, Node)}
        # What is loaded before a store on which another load waits must not wait for that one's users.
        self.apart = {a for a, b in graph.order if isinstance(a, Node) and b in first}

    def run(self) -> Steps:
        """Return the steps."""
        seen = _stored(self.graph)
        order = _ordered(_with_uppers(_flattened(_live(self.graph), seen)))
        self.position = {node: k for k, node in enumerate(order)}
        self.users = _users(order, self.graph.stores)
        scaled = {node: _scaled(node, seen) for node in order if node.kind == "add"}
        self.scaled = {node: part for node, part in scaled.items() if part}
        # The sum's address multiplies: it reads what the part multiplies, and nothing makes the part itself.
        for node, part in self.scaled.items():
            users = self.users[_scaled_by(part)[0]]
            users[users.index(part)] = node
        for node in order:
            node.depth = max((a.depth for a in node.args), default=0) + _LATENCY.get(node.kind, 1)
        self.destroyer = {node: self._destroyer(node) for node in order}
        parts = set(self.scaled.values())
        for node in order:
            if node not in parts and not self._stays(node):
                self._make(node)
        for stored in self.graph.stores:
            self._store(stored)
        for one, other in self.graph.order:
            self.out.before |= {(a, b) for a in self.accesses[one] for b in self.accesses[other]}
        return self.out

    # What is destroyed by whom.

    def _destroyer(self, x: Node) -> Node | None:
        """Return the user that may change a value in place: the last one, so that no other depends on it."""
        users = self.users[x]
        if not users or any(isinstance(u, Stored) for u in users) or x.kind in ("leaf", "number"):
            return None
        last = max((u for u in users if isinstance(u, Node)), key=lambda u: self.position[u])
        return last if users.count(last) == 1 and self._can_tie(last, x) else None

    def _can_tie(self, user: Node, x: Node) -> bool:
        if user.kind in SUMS:
            return True
        if user.kind == "mul":
            return not any(a.kind == "number" for a in user.args)
        return user.kind in ("sub", "not", "shl", "shr", "rol", "ror", "bswap") and user.args[0] is x

    # Operands.

    def _stays(self, node: Node) -> bool:
        """Whether a value is read from memory by the instruction that uses it."""
        if node.kind == "number":
            return all(isinstance(u, Node) and self._takes_number(u, node) for u in self.users[node])
        if node.kind not in ("leaf", "lookup") or node.bits != 32 or node in self.apart:
            return False
        if node.kind == "lookup" and len(self.users[node]) > 1:
            return False
        return all(
            isinstance(u, Node) and u.kind in (*SUMS, "mul", "sub", "bswap") and self._takes_memory(u, node)
            for u in self.users[node]
        )

    def _takes_number(self, user: Node, node: Node) -> bool:
        return user.kind in (*SUMS, "mul") or user.kind == "sub"

    def _takes_memory(self, user: Node, node: Node) -> bool:
        if user in self.scaled:
            return True
        return not (user.kind == "mul" and any(a.kind == "number" for a in user.args))

    def _memory(self, node: Node) -> tuple[str, list[Node]]:
        """Return the text of a value in memory, whose index is ``%1``, and what it depends on."""
        if node.kind == "leaf":
            return self._at(node.name, node.number, node.scale), []
        self.looked_up.add(node.name)
        name = self._at(node.name, node.number)
        scale = node.bits // 8
        return (f"{name}(%1)" if scale == 1 else f"{name}(,%1,{scale})"), [node.args[0]]

    def _at(self, name: str, offset: int, scale: int = 0) -> str:
        if name == CELLS and offset in self.fixed:
            return self.fixed[offset]
        known, start = self.addresses[name]
        at = start + offset
        index = "" if not scale else f"({self.counter})" if scale == 1 else f"(,{self.counter},{scale})"
        return f"{known}{at:+}{index}" if at else known + index

    def _cell(self, offset: int) -> int | None:
        """Return the byte of a word between regions, None if a register holds the word."""
        return None if offset in self.fixed else offset

    def _new(self) -> int:
        self.values += 1
        return self.values - 1

    # Steps.

    def _step(self, node: Node | None, step: Step, reads: list[Node], leaf: Node | None = None) -> int:
        number = len(self.out.steps)
        self.out.steps.append(step)
        for x in reads:
            for maker in self.makers[x]:
                self.out.before.add((maker, number))
            self.readers[x].append(number)
        if node is not None:
            self.makers.setdefault(node, []).append(number)
        if leaf is not None and leaf.kind in ("leaf", "lookup"):
            if leaf.kind == "leaf":
                self.loads[leaf.name].append(number)
                self.looked_up.add(leaf.name)
            self.accesses[leaf].append(number)
            if leaf in self.ordered and leaf.name == CELLS:
                step.cell = self._cell(leaf.number)
        return number

    def _tied(self, node: Node, candidates: list[Node]) -> Node | None:
        """Return the operand that a node is made in the place of."""
        fit = [a for a in candidates if a in self.value and self.destroyer[a] is node]
        return max(fit, key=lambda a: (len(self.makers[a]) > 1, -a.depth)) if fit else None

    def _begin(self, node: Node, tied: Node | None) -> int:
        """Give a node its value: a new one or that of the operand which it destroys."""
        self.value[node] = self._new() if tied is None else self.value[tied]
        self.makers[node] = []
        return self.value[node]

    def _after_readers(self, tied: Node | None, number: int) -> None:
        if tied is None:
            return
        for maker in self.makers[tied]:
            self.out.before.add((maker, number))
        for reader in self.readers[tied]:
            self.out.before.add((reader, number))

    def _make(self, node: Node) -> None:
        if node.kind in SUMS:
            self._sum(node)
        elif node.kind in ("leaf", "lookup"):
            self._loaded(node)
        elif node.kind == "number":
            value = self._begin(node, None)
            self._step(
                node,
                Step(
                    [(value, "write", ANY)], f"movl ${node.number}, %0", again=True, memory=f"${node.number}"
                ),
                [],
            )
        elif node.kind == "field":
            self._field(node)
        elif node.kind == "index":
            self._counted(node)
        elif node.kind in ("sub", "mul"):
            self._product(node)
        else:
            self._unary(node)

    def _loaded(self, node: Node) -> None:
        text, reads = self._memory(node)
        name = "movl" if node.bits == 32 else "movzbl"
        value = self._begin(node, None)
        operands = [(value, "write", ANY)] + [(self.value[x], "read", ANY) for x in reads]
        again = not reads and node.bits == 32 and node not in self.ordered and not text.startswith("%")
        self._step(
            node, Step(operands, f"{name} {text}, %0", again=again, memory=text if again else ""), reads, node
        )

    def _field(self, node: Node) -> None:
        x = node.args[0]
        if (node.bits, node.number) not in ((8, 0), (8, 8)):
            raise DescriptionError(
                "X101", f"code for x86-32 has no way yet for {node.bits} bits at {node.number} of a word"
            )
        value = self._begin(node, None)
        part = "l" if node.number == 0 else "h"
        self._step(
            node, Step([(value, "write", ANY), (self.value[x], "read", BYTES)], f"movzbl %1{part}, %0"), [x]
        )

    def _counted(self, node: Node) -> None:
        text = f"leal {node.number or ''}(,{self.counter},{node.scale}), %0"
        if node.scale == 1:
            text = f"leal {node.number}({self.counter}), %0" if node.number else f"movl {self.counter}, %0"
        self._step(node, Step([(self._begin(node, None), "write", ANY)], text), [])

    def _sum(self, node: Node) -> None:
        scaled = self.scaled.get(node)
        args = list(node.args)
        number = next((a for a in args if a.kind == "number"), None)
        tied = None if scaled else self._tied(node, args)
        registers = [a for a in args if a in self.value]
        if scaled or (
            node.kind == "add"
            and tied is None
            and len(args) == 2
            and len(registers) + (number is not None) == 2
        ):
            self._scaled_sum(node, args, scaled, registers, number)
            return
        value = self._begin(node, tied)
        numbers = []
        for a in sorted(args, key=lambda a: a.depth):
            if a is tied:
                continue
            numbers.append(self._added(node, value, a, begun=tied is not None))
        for one in numbers:
            self._after_readers(tied, one)

    def _added(self, node: Node, value: int, a: Node, *, begun: bool) -> int:
        """Emit the step that combines a sum with one operand."""
        operands: list[tuple[int, str, int]] = [(value, "change", ANY)]
        read: list[Node] = []
        if a in self.value:
            read, text, moved = [a], "%1", "{m}"
        elif a.kind == "number":
            text = moved = f"${a.number}"
        else:
            text, read = self._memory(a)
            moved = text
        operands += [(self.value[x], "read", ANY) for x in read]
        step = Step(operands, f"{node.kind}l {text}, %0")
        if not begun:
            step.first = f"movl {text}, %0"
        if moved != text:
            step.folded = f"{node.kind}l {moved}, %0"
            step.first_folded = step.first and f"movl {moved}, %0"
        return self._step(node, step, read, a)

    def _scaled_sum(
        self, node: Node, args: list[Node], scaled: Node | None, registers: list[Node], number: Node | None
    ) -> None:
        """A sum of two registers, one of them times 1, 2, 4 or 8, and a number; the rest is added to it."""
        value = self._begin(node, None)
        constant = (number.number if number else 0) & 0xFFFFFFFF
        constant -= (constant >> 31) << 32
        offset = str(constant) if constant else ""
        bases = [a for a in registers if a is not scaled]
        if scaled:
            inner, scale = _scaled_by(scaled)
            used = [bases[0], inner] if bases else [inner]
            text = f"leal {offset}(%1,%2,{scale}), %0" if bases else f"leal {offset}(,%1,{scale}), %0"
        else:
            used = bases[:2]
            text = f"leal {offset}(%1,%2), %0" if len(used) == 2 else f"leal {offset}(%1), %0"
        operands = [(value, "write", ANY)] + [(self.value[x], "read", ANY) for x in used]
        start = self._step(node, Step(operands, text), used)
        done = {id(scaled), id(number)} | {id(x) for x in (used if not scaled else bases[:1])}
        for a in sorted(args, key=lambda a: a.depth):
            if id(a) not in done:
                self.out.before.add((start, self._added(node, value, a, begun=True)))

    def _product(self, node: Node) -> None:
        a, b = node.args
        if node.kind == "mul" and (a.kind == "number" or b.kind == "number"):
            x, n = (b, a.number) if a.kind == "number" else (a, b.number)
            value = self._begin(node, None)
            self._step(
                node, Step([(value, "write", ANY), (self.value[x], "read", ANY)], f"imull ${n}, %1, %0"), [x]
            )
            return
        tied = self._tied(node, [a, b] if node.kind == "mul" else [a])
        if node.kind == "mul" and (tied is b or (tied is None and a in self.value and b not in self.value)):
            a, b = b, a
        value = self._begin(node, tied)
        name = "imul" if node.kind == "mul" else "sub"
        start = None
        if tied is None:
            start = self._added(node, value, a, begun=False)
            step = self.out.steps[start]
            step.operands[0] = (value, "write", ANY)
            step.plain, step.folded, step.first, step.first_folded = step.first, step.first_folded, "", ""
        if b in self.value:
            operands, read = [(value, "change", ANY), (self.value[b], "read", ANY)], [b]
            made = Step(operands, f"{name}l %1, %0", folded=f"{name}l {{m}}, %0")
        elif b.kind == "number":
            made, read = Step([(value, "change", ANY)], f"{name}l ${b.number}, %0"), []
        else:
            text, read = self._memory(b)
            made = Step(
                [(value, "change", ANY)] + [(self.value[x], "read", ANY) for x in read], f"{name}l {text}, %0"
            )
        number = self._step(node, made, read, b)
        self._after_readers(tied, number)
        if start is not None:
            self.out.before.add((start, number))

    def _unary(self, node: Node) -> None:
        x = node.args[0]
        by = node.args[1] if len(node.args) > 1 else None
        tied = self._tied(node, [x])
        if tied is None and node.kind == "shl" and by is None and node.number <= 3 and x in self.value:
            value = self._begin(node, None)
            self._step(
                node,
                Step(
                    [(value, "write", ANY), (self.value[x], "read", ANY)],
                    f"leal (,%1,{1 << node.number}), %0",
                ),
                [x],
            )
            return
        value = self._begin(node, tied)
        start = None
        if tied is None:
            start = self._added(node, value, x, begun=False)
            step = self.out.steps[start]
            step.operands[0] = (value, "write", ANY)
            step.plain, step.folded, step.first, step.first_folded = step.first, step.first_folded, "", ""
        if by is not None:
            operands = [(value, "change", ANY & ~COUNT), (self.value[by], "read", COUNT)]
            number = self._step(node, Step(operands, f"{node.kind}l %1l, %0"), [by])
        else:
            amount = f"${node.number}, " if node.kind in ("shl", "shr", "rol", "ror") else ""
            name = node.kind if node.kind == "bswap" else f"{node.kind}l"
            number = self._step(node, Step([(value, "change", ANY)], f"{name} {amount}%0"), [])
        self._after_readers(tied, number)
        if start is not None:
            self.out.before.add((start, number))

    def _store(self, stored: Stored) -> None:
        x = stored.value
        for one in (x, stored.address):
            if one is not None and one not in self.value:
                self._make(one)
        at = self._at(stored.object, stored.offset, stored.scale)
        name, part, registers = ("movl", "", ANY) if stored.bits == 32 else ("movb", "l", BYTES)
        operands = [(self.value[x], "read", registers)]
        reads = [x]
        if stored.address is not None:
            at += "(%1)" if stored.bits == 8 else f"(,%1,{stored.bits // 8})"
            operands.append((self.value[stored.address], "read", ANY))
            reads.append(stored.address)
        step = Step(operands, f"{name} %0{part}, {at}")
        step.cell = self._cell(stored.offset) if stored.object == CELLS else None
        number = self._step(None, step, reads)
        self.accesses[stored].append(number)
        for load in self.loads[self.same.get(stored.object, "")]:
            self.out.before.add((load, number))


def _scaled_by(node: Node) -> tuple[Node, int]:
    """Return what a node multiplies by 2, 4 or 8, and by which."""
    if node.kind == "shl" and len(node.args) == 1 and node.number in (1, 2, 3):
        return node.args[0], 1 << node.number
    numbers = [a for a in node.args if a.kind == "number" and a.number in (2, 4, 8)]
    if node.kind == "mul" and numbers:
        return next(a for a in node.args if a is not numbers[0]), numbers[0].number
    return node, 1


def _scaled(node: Node, stored: set[Node]) -> Node | None:
    """Return the operand of a sum that an address can multiply, if nothing else uses it."""
    return next(
        (
            a
            for a in node.args
            if len(a.users) == 1
            and a not in stored
            and _scaled_by(a)[1] > 1
            and _scaled_by(a)[0].kind not in ("leaf", "lookup", "number")
        ),
        None,
    )


def _stored(graph: Graph) -> set[Node]:
    """Return the values that are stored and those that say where."""
    addresses = {s.address for s in graph.stores if s.address is not None}
    return {s.value for s in graph.stores} | addresses


def _live(graph: Graph) -> list[Node]:
    """Return the nodes that something stored depends on, with their users."""
    needed: set[Node] = set()
    todo = [*_stored(graph)]
    while todo:
        node = todo.pop()
        if node not in needed:
            needed.add(node)
            todo += node.args
    nodes = [n for n in graph.nodes if n in needed]
    _link(nodes)
    return nodes


def _link(nodes: list[Node]) -> None:
    for node in nodes:
        node.users = []
    for node in nodes:
        for a in node.args:
            a.users.append(node)


def _flattened(nodes: list[Node], stored: set[Node]) -> list[Node]:
    """Join sums of sums that nothing else uses."""
    gone: set[Node] = set()
    for node in reversed(nodes):
        if node.kind not in SUMS or node in gone:
            continue
        args: list[Node] = []
        todo = list(node.args)
        while todo:
            a = todo.pop(0)
            if a.kind == node.kind and len(a.users) == 1 and a not in stored:
                gone.add(a)
                todo = a.args + todo
            else:
                args.append(a)
        node.args = args
    nodes = [n for n in nodes if n not in gone]
    _link(nodes)
    return nodes


def _with_uppers(nodes: list[Node]) -> list[Node]:
    """Replace fields by bytes that registers have and shifts; of a word's upper bytes both by one shift."""
    out: list[Node] = []
    uppers: dict[Node, Node] = {}
    both = {n.args[0] for n in nodes if n.kind == "field" and (n.bits, n.number) == (8, 16)}
    for node in nodes:
        if node.kind != "field":
            out.append(node)
            continue
        x, low, bits = node.args[0], node.number, node.bits
        if bits == 8 and low in (0, 8):
            pass
        elif bits == 8 and low in (16, 24) and (low == 16 or x in both):
            if x not in uppers:
                uppers[x] = Node("shr", [x], number=16)
                out.append(uppers[x])
            node.args, node.number = [uppers[x]], low - 16
        elif low + bits == 32:
            node.kind, node.number, node.bits = "shr", low, 32
        elif bits == 8 and low:
            shifted = Node("shr", [x], number=low)
            out.append(shifted)
            node.args, node.number = [shifted], 0
        else:
            part = x
            if low:
                part = Node("shr", [x], number=low)
                out.append(part)
            mask = Node("number", number=(1 << bits) - 1)
            out.append(mask)
            node.kind, node.args, node.number, node.bits = "and", [part, mask], 0, 32
        out.append(node)
    _link(out)
    return out


def _ordered(nodes: list[Node]) -> list[Node]:
    """Return the nodes with the bytes of a word behind it: the lower ones, the shift, the upper ones."""
    place = {n: k for k, n in enumerate(nodes)}
    done: set[Node] = set()
    out: list[Node] = []

    def emit(node: Node) -> None:
        if node in done:
            return
        for a in node.args:
            emit(a)
        done.add(node)
        out.append(node)
        fields = [u for u in node.users if u.kind == "field"]
        for u in sorted(set(fields), key=lambda u: (u.number, place[u])):
            emit(u)
        for u in node.users:
            if (
                u.kind == "shr"
                and len(u.args) == 1
                and u.number == 16
                and any(w.kind == "field" for w in u.users)
            ):
                emit(u)

    for node in nodes:
        emit(node)
    return out


def _users(order: list[Node], stores: list[Stored]) -> dict[Node, list[Node | Stored]]:
    users: dict[Node, list[Node | Stored]] = {n: list(n.users) for n in order}
    for stored in stores:
        users[stored.value].append(stored)
        if stored.address is not None:
            users[stored.address].append(stored)
    return users
