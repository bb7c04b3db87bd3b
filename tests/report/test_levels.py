"""Levelled graphs: nodes are moved off the edges that they are no end of."""

from __future__ import annotations

from cipherassay.report.levels import untangled


def test_a_node_is_moved_from_an_edge() -> None:
    places = {"a": (0.0, 0.0), "b": (0.0, 1.0), "c": (0.0, 2.0)}
    found = untangled(places, [("a", "b"), ("b", "c"), ("a", "c")], 1.0)
    assert {name: y for name, (_, y) in found.items()} == {"a": 0.0, "b": 1.0, "c": 2.0}
    (x, _), (u, _), (v, _) = (found[name] for name in "abc")
    assert abs((x + v) / 2 - u) >= 0.5
    assert found == untangled(places, [("a", "b"), ("b", "c"), ("a", "c")], 1.0)


def test_nodes_of_a_row_keep_apart() -> None:
    places = {"a": (0.0, 0.0), "b": (0.0, 1.0), "c": (1.0, 1.0)}
    found = untangled(places, [("a", "b"), ("a", "c")], 1.0)
    assert abs(found["b"][0] - found["c"][0]) >= 1.0
