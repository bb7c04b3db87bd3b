"""The questions of docs/data.md, asked as they stand there; the answers are computed anew from the rows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cipherassay import ciphers, processors
from cipherassay.jobs import RowCache, run
from cipherassay.processors.requests import Request
from cipherassay.processors.rows import job
from cipherassay.results import METRICS, Row, Store, sources
from cipherassay.results.origin import here
from cipherassay.results.querying import Limits, query
from support.places import ROOT

QUESTIONS = re.findall(r"\n([^\n]+)\n```sql\n(.*?)```", (ROOT / "docs" / "data.md").read_text(), re.DOTALL)
LIBRARY = "Some Library 1.2"


def native(value: float, **changes: object) -> Row:
    fields: dict[str, Any] = {
        "cipher": "RC6", "operation": "encrypt", "key_bits": 128, "strategy": "direct", "level": "native",
        "target": "test machine", "configuration": "gcc 12 -O2", "compiler": "gcc 12 -O2", "metric": "cycles",
        "value": value, "basis": "measured", "stable": True, "constant_time": True, "command": "assay measure rc6",
    }  # fmt: skip
    return Row(**{**fields, **changes})


def library(value: float, name: str = LIBRARY, **changes: object) -> Row:
    return native(value, strategy=None, configuration=name, compiler=None, implementation=name, **changes)


def small(metric: str, value: float, architecture: str) -> Row:
    return native(
        value, level="embedded", target="Small (one)", platform="small", configuration=f"{architecture}, {metric}",
        compiler=None, architecture=architecture, metric=metric, basis="simulated", strategy="bytes",
    )  # fmt: skip


MEASURED = [
    native(160.0), native(150.0, strategy="fast"), native(170.0, operation="decrypt"),
    native(90.0, strategy="tables", cipher="E2", constant_time=False),
    library(200.0), library(140.0, "Other Library 3", constant_time=False), library(300.0, operation="decrypt"),
]  # fmt: skip
SMALL = [
    small("cycles", 5000.0, "loop"), small("code_bytes", 700.0, "loop"),
    small("cycles", 4000.0, "unrolled"), small("code_bytes", 9000.0, "unrolled"),
]  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    made = Store(tmp_path_factory.mktemp("store"))
    made.put("native/test", {}, MEASURED)
    made.put("embedded/test", {}, SMALL)
    rc6 = ciphers.load("rc6")
    kernels = [job(Request(rc6, "encrypt", processors.load(name))) for name in ("mckinley-paper", "pa8500")]
    run(kernels, RowCache(made))
    return made


@pytest.fixture(scope="module")
def known(store: Store) -> list[Row]:
    return [*store.rows(), *(row for name in ("hardware", "results") for row in sources.rows(name))]


def answer(store: Store, words: str, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return the answer to the question that begins with some words."""
    monkeypatch.setattr(sources, "names", lambda: ["hardware", "results"])
    (sql,) = [sql for question, sql in QUESTIONS if question.startswith(words)]
    columns, lines = query(store, sql, Limits(seconds=300.0))
    return [dict(zip(columns, line, strict=True)) for line in lines]


def ours(rows: Iterable[Row], **fields: object) -> list[Row]:
    wanted = {"implementation": "ours", **fields}
    return [row for row in rows if all(getattr(row, name) == value for name, value in wanted.items())]


def holds(row: Row) -> bool:
    return not (row.certificate or "").startswith("fails hold") and row.metric != "refused"


def test_there_are_ten() -> None:
    assert len(QUESTIONS) == 10


def test_cycles_per_byte(store: Store, known: list[Row], monkeypatch: pytest.MonkeyPatch) -> None:
    found = {(one["platform"], one["cipher"]): one["cycles_per_byte"] for one in answer(store, "How many", monkeypatch)}
    rows = [row for row in ours(known, operation="encrypt", metric="cycles") if row.basis != "published"]
    wanted: dict[Any, float] = {}
    for row in rows:
        key = (row.platform, row.cipher)
        wanted[key] = min(wanted.get(key, row.value / 16), row.value / 16)
    assert found == wanted
    assert found["test machine", "RC6"] == 150 / 16
    assert {"ia64", "pa8500", "small"} <= {platform for platform, _ in found}


def test_area_times_time(store: Store, known: list[Row], monkeypatch: pytest.MonkeyPatch) -> None:
    found = answer(store, "Which design", monkeypatch)
    assert len(found) == 10
    times = {
        (row.cipher, row.configuration, row.variant): row.value
        for row in known
        if row.metric == "time_ns" and row.operation == "encrypt" and row.key_bits == 128 and row.part is None
        and row.level == "hardware" and holds(row)
    }  # fmt: skip
    products = sorted(
        row.value * times[row.cipher, row.configuration, row.variant] / 1e6
        for row in known
        if row.metric == "area_um2" and row.part is None and row.level == "hardware" and holds(row)
        and row.basis == "synthesized" and (row.cipher, row.configuration, row.variant) in times
    )  # fmt: skip
    assert [one["mm2_ns"] for one in found] == pytest.approx(products[:10])
    assert all(one["speed_grade"] in range(1, 6) and one["architecture"] for one in found)


def test_compared_with_papers(store: Store, known: list[Row], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of our rows with a reference of the same processor is beside it."""
    found = answer(store, "How do we", monkeypatch)
    pairs = {(one["target"], one["ours"], one["published"]) for one in found}
    rows = [row for row in store.rows("processor/") if row.metric == "cycles"]
    assert {row.platform for row in rows} == {"ia64", "pa8500"}
    assert {(row.target, row.value, row.reference) for row in rows} <= pairs
    assert all(one["ratio"] == pytest.approx(one["ours"] / one["published"]) for one in found)


def test_fastest_library(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    found = answer(store, "Which library", monkeypatch)
    assert [(one["operation"], one["implementation"], one["value"], one["constant_time"]) for one in found] == [
        ("decrypt", LIBRARY, 300.0, True), ("encrypt", "Other Library 3", 140.0, False),
    ]  # fmt: skip


def test_fastest_strategy(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    found = answer(store, "Which of our", monkeypatch)
    assert [(one["cipher"], one["operation"], one["strategy"], one["value"]) for one in found] == [
        ("E2", "encrypt", "tables", 90.0), ("RC6", "decrypt", "direct", 170.0), ("RC6", "encrypt", "fast", 150.0),
    ]  # fmt: skip


def test_constant_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    found = answer(store, "What does code", monkeypatch)
    assert [(one["cipher"], one["implementation"], one["cycles"]) for one in found if one["cycles"] < 1000] == [
        ("RC6", "ours", 150.0), ("RC6", "ours", 160.0), ("RC6", LIBRARY, 200.0),
    ]  # fmt: skip


def test_cycles_against_bytes(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [one for one in answer(store, "What do cycles", monkeypatch) if one["target"] == "Small (one)"]
    assert [(one["architecture"], one["cycles"], one["bytes"]) for one in found] == [
        ("unrolled", 4000.0, 9000.0), ("loop", 5000.0, 700.0),
    ]  # fmt: skip


def test_pareto_front(store: Store, known: list[Row], monkeypatch: pytest.MonkeyPatch) -> None:
    found = answer(store, "Which devices", monkeypatch)
    whole = [row for row in known if row.target == "osu050" and row.part is None and holds(row)]
    areas = {
        (row.cipher, row.variant, row.configuration): row.value for row in whole if row.metric == "area_ge"
    }
    rates = {
        (row.cipher, row.variant, row.configuration): row.value
        for row in whole
        if row.metric == "throughput_mbps" and row.operation == "encrypt" and row.key_bits == 128
    }
    front, most = [], 0.0
    for area, rate in sorted(((areas[key], rates[key]) for key in areas.keys() & rates.keys()), key=lambda p: (p[0], -p[1])):
        if rate > most:
            front.append((area, rate))
            most = rate
    assert sorted({(one["area"], one["mbps"]) for one in found}) == front, "designs that are equal come twice"
    assert len(front) > 10


def test_versions(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    origin = here()
    if origin.commit is None:
        pytest.skip("the package is in no checkout with git")
    (found,) = answer(store, "Which numbers", monkeypatch)
    assert (found["version"], found["commit"], found["machine"]) == (origin.version, origin.commit, origin.machine)
    assert found["runs"] == len(store.runs())
    assert found["numbers"] == len(store.rows())


def test_meanings(store: Store, known: list[Row], monkeypatch: pytest.MonkeyPatch) -> None:
    found = {one["metric"]: one for one in answer(store, "What does a metric", monkeypatch)}
    assert found.keys() == {row.metric for row in known}
    for name in ("cycles", "throughput_mbps", "area_um2"):
        metric = METRICS[name]
        assert (found[name]["unit"], found[name]["better"], found[name]["meaning"]) == (
            metric.unit, metric.better, metric.meaning,
        )  # fmt: skip


def test_the_page_names_every_column_and_table(store: Store) -> None:
    text = (ROOT / "docs" / "data.md").read_text()
    columns = [line[0] for line in query(store, "describe results")[1]]
    tables = [line[0] for line in query(store, "show tables")[1]]
    assert [name for name in (*columns, *tables) if f"`{name}`" not in text] == []


def test_withdrawn_figures_are_not_valid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "names", list)
    wrong = replace(native(1.0, strategy="wrong"), certificate="fails hold: 96 latches")
    why = native(1.0, strategy="none", metric="refused", certificate="M001: why")
    store = Store(tmp_path)
    store.put("x", {}, [native(160.0), wrong, why])
    assert query(store, "select value from valid")[1] == [[160.0]]
    assert query(store, "select value from best")[1] == [[160.0]]
    assert query(store, "select count(*) from results")[1] == [[3]]
