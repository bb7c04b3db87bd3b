"""Operations written anew: with new names, other indices, and objects of which only some rows are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cipherassay.embedded.budget.events import Flow
from cipherassay.ir import INDEX, Affine, Body, Operand, Operation, Type, Value


class Rewriter:
    """Writes operations with new names.

    ``rows`` says how many rows of each object are kept. ``words``, ``indices`` and ``arrays`` say what stands
    for words, for loops' indices and for objects by now.
    """

    def __init__(self, made: Flow, rows: dict[str, int]) -> None:
        self.made, self.rows = made, rows
        self.out: list[Operation] = []
        self.words: dict[str, Operand] = {}
        self.indices: dict[str, Affine] = {}
        self.arrays: dict[str, str] = {}
        self.given: set[str] = set()  # objects that one operation has made with all their cells
        self.names = 0

    def fresh(self, old: str) -> str:
        """Return a new name that begins as an old one."""
        self.names += 1
        return f"{old.split('.')[0]}.{self.names}"

    def type(self, root: str) -> Type:
        """Return the type of what is kept of an object."""
        return self.made.types[root].with_rows(self.rows[root])

    def array_value(self, root: str) -> Value:
        """Return the newest value of an object."""
        return Value(self.arrays[root], self.type(root))

    def operand(self, o: Operand) -> Operand:
        """Return what stands for an operand."""
        return o if isinstance(o, int) else self.words[o]

    def value(self, o: Operand) -> Operand:
        """Return what stands for an operand: a word, or the newest value of an object."""
        return self.arrays[self.made.roots[o]] if o in self.made.roots else self.operand(o)

    def op(self, op: Operation) -> None:
        """Write one operation."""
        if op.loop is not None:
            self.nested(op)
        elif op.kind in ("index_div", "index_mod"):
            self._index(op)
        elif op.kind in ("load", "store"):
            self._access(op)
        elif op.kind == "array":
            self._array(op)
        else:
            results = self._results(op)
            operands = tuple(self.operand(o) for o in op.operands)
            addresses = tuple(self.affine(a) for a in op.addresses)
            self._define(op, results)
            self.out.append(Operation(results, op.kind, operands, op.name, addresses, op.number))

    def _results(self, op: Operation) -> tuple[Value, ...]:
        return tuple(Value(self.fresh(name), ty) for name, ty in op.results)

    def _define(self, op: Operation, results: Sequence[Value]) -> None:
        self.words |= {old: new for (old, _), (new, _) in zip(op.results, results, strict=True)}

    def affine(self, a: Affine) -> Affine:
        """Return an address in the new indices."""
        terms: dict[str, int] = {}
        constant = a.constant
        for c, v in a.terms:
            if v not in self.indices:
                word = self.operand(v)
                if isinstance(word, int):
                    constant += c * word
                else:
                    terms[word] = terms.get(word, 0) + c
                continue
            constant += c * self.indices[v].constant
            for k, w in self.indices[v].terms:
                terms[w] = terms.get(w, 0) + c * k
        return Affine(tuple((c, v) for v, c in terms.items() if c), constant, a.ring)

    def _index(self, op: Operation) -> None:
        a = self.affine(op.addresses[0])
        name, n = op.results[0].name, op.number
        if all(c % n == 0 for c, _ in a.terms):
            if op.kind == "index_div":
                self.indices[name] = Affine(tuple((c // n, v) for c, v in a.terms), a.constant // n)
            else:
                self.indices[name] = Affine((), a.constant % n)
            return
        new = self.fresh(name)
        self.indices[name] = Affine(((1, new),), 0)
        self.out.append(Operation((Value(new, INDEX),), op.kind, addresses=(a,), number=n))

    def _access(self, op: Operation) -> None:
        root = self.made.roots[op.name]
        addresses = [self.affine(a) for a in op.addresses]
        rows = self.rows[root]
        first = addresses[0]
        if rows != self.made.types[root].extents[0]:
            if all(c % rows == 0 for c, _ in first.terms):
                first = Affine((), first.constant % rows)
            else:
                first = Affine(first.terms, first.constant % rows, ring=True)
        operands, array = tuple(self.operand(o) for o in op.operands), self.arrays[root]
        if op.kind == "load":
            results = self._results(op)
            self._define(op, results)
        else:
            self.arrays[root] = self.fresh(root)
            results = (self.array_value(root),)
        self.out.append(Operation(results, op.kind, operands, array, (first, *addresses[1:])))

    def _array(self, op: Operation) -> None:
        root = self.made.roots[op.results[0].name]
        if not op.operands:
            return
        given = tuple(self.operand(o) for o in op.operands)
        if root not in self.given and self.rows[root] == self.made.types[root].extents[0]:
            self.given.add(root)
            self.arrays[root] = self.fresh(root)
            self.out.append(Operation((self.array_value(root),), "array", given))
            return
        dims = self.made.types[root].extents
        row = len(given) // dims[0]
        for n in range(dims[0]):
            old, self.arrays[root] = self.arrays[root], self.fresh(root)
            words, place = given[n * row : n * row + row], Affine((), n % self.rows[root])
            self.out.append(Operation((self.array_value(root),), "store", words, old, (place,)))

    def nested(self, op: Operation) -> None:
        """Write a loop inside an iteration as it stands."""
        assert op.loop is not None
        init = tuple(self.value(o) for o in op.operands)
        outside, before = self.out, dict(self.arrays)
        bodies = tuple(self._nested_body(body, before) for body in op.loop.bodies)
        self.arrays, self.out = before, outside
        results = tuple(self._renewed(value) for value in op.results)
        self.out.append(Operation(results, op.kind, init, loop=replace(op.loop, bodies=bodies)))

    def _nested_body(self, body: Body, before: dict[str, str]) -> Body:
        self.arrays, self.out = dict(before), []
        index = self.fresh(body.params[0].name)
        self.indices[body.params[0].name] = Affine(((1, index),), 0)
        params = (Value(index, INDEX), *[self._renewed(value) for value in body.params[1:]])
        for inner in body.ops:
            self.op(inner)
        return Body(params, tuple(self.out), tuple(self.value(o) for o in body.outputs))

    def _renewed(self, old: Value) -> Value:
        """Define a value under a new name: a word, or the newest value of an object."""
        if not old.type.is_array:
            new = Value(self.fresh(old.name), old.type)
            self.words[old.name] = new.name
            return new
        root = self.made.roots[old.name]
        self.arrays[root] = self.fresh(old.name)
        return self.array_value(root)
