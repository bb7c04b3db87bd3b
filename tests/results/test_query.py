"""`assay query`: a query sees its two tables and nothing else, and ends within its limits."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cipherassay.errors import AssayError, DescriptionError
from cipherassay.results import Row, Sample, Store, sources
from cipherassay.results.querying import Limits, QueryLimitError, query
from cipherassay.results.tables import COLUMNS
from support.places import SOURCE

SECRET = "what no query may read"
ENDLESS = "with recursive t as (select 1 n union all select n + 1 from t) select max(n) from t"


def row(**changes: object) -> Row:
    values: dict[str, object] = {
        "cipher": "RC6", "operation": "encrypt", "key_bits": 128, "metric": "cycles", "value": 161.0,
        "basis": "measured", "command": "assay measure rc6",
    }  # fmt: skip
    return Row(**{**values, **changes})  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An own cache, no rows but the store's, and files that a query might read or write."""
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sources, "names", list)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    Path("secret.csv").write_text(f"{SECRET}\n")
    Path("secret.json").write_text(json.dumps({"a": SECRET}))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "store")
    sample = Sample(row(), [100, 101], [161, 162.5])
    store.put("x", {"k": 1}, [row(), row(cipher="E2", value=356.0)], [sample])
    return store


def refused(store: Store, sql: str, limits: Limits | None = None) -> AssayError:
    with pytest.raises(AssayError) as caught:
        query(store, sql, limits or Limits(memory=256))
    assert SECRET not in str(caught.value)
    assert caught.value.exit_code == 2
    return caught.value


def test_answers(store: Store) -> None:
    assert query(store, "select cipher, value from results order by value") == (
        ["cipher", "value"],
        [["RC6", 161.0], ["E2", 356.0]],
    )
    assert query(store, "select input, ticks, cycles from samples order by input")[1] == [
        [0, 100.0, 161.0],
        [1, 101.0, 162.5],
    ]
    assert query(store, "FROM SAMPLES JOIN RESULTS USING (cipher) SELECT count(*)")[1] == [[2]]
    assert query(store, "from query_table('results') select count(*)")[1] == [[2]]
    assert query(store, "from query('from sam' || 'ples') select count(*)")[1] == [[2]]
    assert query(store, "describe results")[1][0][:2] == ["cipher", "VARCHAR"]
    assert query(store, "select 1; -- and no more")[1] == [[1]]
    columns, lines = query(
        store, "select 0.1::double, 'nan'::double, null, [1], {'a': 'é'}, date '2020-01-02'"
    )
    assert str(lines) == "[[0.1, nan, None, [1], {'a': 'é'}, '2020-01-02']]"


def test_an_empty_store_knows_the_fields(tmp_path: Path) -> None:
    columns, lines = query(Store(tmp_path / "none"), "select * from results")
    assert (tuple(columns), lines) == (COLUMNS, [])
    assert query(Store(tmp_path / "none"), "select * from samples")[1] == []


OUTSIDE = """\
copy results to 'out.csv'
copy (select 1) to 'out.parquet'
copy results from 'secret.csv'
export database 'out'
import database 'out'
attach 'out.db'
attach ':memory:' as other
install httpfs
force install httpfs
load httpfs
load 'secret.csv'
update extensions
create secret (type s3)
set memory_limit = '10GB'
set variable x = 1
set temp_directory = '.'
reset lock_configuration
pragma memory_limit = '10GB'
pragma version
pragma enable_profiling
pragma database_list
call enable_logging()
call pragma_version()
use memory
begin
checkpoint
vacuum
prepare p as select 1
create table t as select 1
create view v as select 1
create macro f() as 1
insert into results select * from results
update results set value = 1
delete from results
drop table results
alter table results add column x int
comment on table results is 'x'
explain analyze copy results to 'out.csv'
select * from read_csv('secret.csv')
select * from read_csv_auto('secret.csv')
select * from read_text('secret.csv')
select * from read_text('/etc/passwd')
select * from read_blob('secret.csv')
select * from read_json('secret.json')
select * from read_ndjson('secret.json')
select * from read_parquet('secret.csv')
select * from parquet_metadata('secret.csv')
select * from sniff_csv('secret.csv')
select * from read_duckdb('secret.csv')
select * from glob('/etc/*')
select * from glob('*')
select * from 'secret.csv'
select * from '/etc/passwd'
select * from "secret.json"
select * from query('from ''secret.csv''')
select * from query_table('secret.csv')
select * from 'http://localhost/a.csv'
select * from read_csv('http://localhost/a.csv')
select * from 's3://bucket/a.parquet'
select getenv('HOME')
select * from connection
select * from request
select * from sys.modules
select * from sqlite_scan('secret.csv', 'x')
select * from postgres_scan('', '', '')
select * from arrow_scan(1, 2, 3)
select * from pandas_scan(1)""".splitlines()


@pytest.mark.parametrize("sql", OUTSIDE)
def test_nothing_outside_is_read_or_written(store: Store, sql: str) -> None:
    before = contents(Path(), store.root)
    error = refused(store, sql)
    assert error.code in ("R011", "R014", "R015"), str(error)
    assert contents(Path(), store.root) == before


def contents(*folders: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()}


def test_what_asks_for_files_is_told_so(store: Store) -> None:
    assert str(refused(store, "from read_text('/etc/passwd')")).splitlines()[:2] == [
        "error[R015]: a query sees only the tables of results",
        '   = Permission Error: Cannot access file "/etc/passwd" - file system operations are disabled by '
        "configuration",
    ]


def test_secrets_and_settings_tell_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_SECRET", SECRET)
    for sql in ("from duckdb_settings()", "from duckdb_databases()", "from duckdb_variables()"):
        assert SECRET not in str(query(store, sql))
    assert refused(store, "from duckdb_secrets()").code == "R015"


EXAMPLE = "\n   = help: ask like \"select cipher, value from results where metric = 'cycles'\""


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("", "error[R012]: the query is empty" + EXAMPLE),
        (" ;\n-- only a remark\n;/* */", "error[R012]: the query is empty" + EXAMPLE),
        ("select 1; select 2", "error[R013]: these are 2 statements\n   = help: ask one at a time"),
        ("drop table results", "error[R014]: `drop` is no statement that only reads" + EXAMPLE),
        (
            "selec 1",
            "error[R011]: the query is not valid\n"
            '   = Parser Error: syntax error at or near "selec"\n'
            "   = LINE 1: selec 1\n"
            "   =         ^^^^^\n"
            "   = help: `show tables` lists what can be asked, `describe results` the fields",
        ),
        (
            "select now() as t",
            "error[R011]: the query is not valid\n"
            "   = the column t has a time zone: make it text, `t::varchar`\n"
            "   = help: `show tables` lists what can be asked, `describe results` the fields",
        ),
        (
            "select '\udcff'",
            "error[R011]: the query is not valid\n   = it is no text in UTF-8\n"
            "   = help: `show tables` lists what can be asked, `describe results` the fields",
        ),
    ],
)  # fmt: skip
def test_queries_that_cannot_be(store: Store, sql: str, text: str) -> None:
    assert str(refused(store, sql)) == text


@pytest.mark.parametrize(
    ("sql", "limits", "code", "text"),
    [
        (ENDLESS, Limits(seconds=2.5), "R017", "the query takes more than 2.5 s"),
        ("from range(10000000000) select sum(range * range)", Limits(seconds=2.5), "R017", ""),
        ("select * from range(100000000)", Limits(), "R018", "the query gives more than 100000 rows"),
        ("select * from range(4)", Limits(rows=3), "R018", "the query gives more than 3 rows"),
        ("select repeat('x', 4000000000)", Limits(), "R016", "the query takes more than 1024 MiB of memory"),
        ("select list(range) from range(100000000)", Limits(memory=100), "R016", ""),
        ("from range(100) select repeat('x', 4000000)", Limits(memory=100), "R016", ""),
        ("select distinct range, md5(range::text) from range(50000000)", Limits(memory=64), "R016", ""),
    ],
)  # fmt: skip
def test_limits(store: Store, sql: str, limits: Limits, code: str, text: str) -> None:
    begin = time.monotonic()
    error = refused(store, sql, limits)
    assert isinstance(error, QueryLimitError)
    assert error.code == code
    assert text in error.message
    assert error.help.endswith("allows more")
    assert time.monotonic() - begin < limits.seconds + 10


def test_limits_are_not_reached_by_what_is_allowed(store: Store) -> None:
    assert len(query(store, "select * from range(3)", Limits(rows=3))[1]) == 3
    assert query(store, "select count(*) from range(100000000)")[1] == [[100_000_000]]


def test_paths_are_no_patterns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path / "a* [b]? 'c'"))
    store = Store(tmp_path / "d* [e]? 'f' [")
    store.put("x", {}, [row()], [Sample(row(), [1.0], [2.0])])
    assert query(store, "select count(*) from results, samples")[1] == [[1]]


def test_rows_are_those_of_the_store_now(store: Store, tmp_path: Path) -> None:
    def values() -> list[float]:
        return [line[0] for line in query(store, "select value from results order by value")[1]]

    assert values() == [161.0, 356.0]
    store.put("x", {"k": 2}, [row(value=150.0)])
    store.put("y", {"k": 2}, [row(value=99.0)])
    assert values() == [99.0, 150.0]
    store.remove("x")
    assert values() == [99.0]
    cached = list((tmp_path / "cache").rglob("*.parquet"))
    for path in cached:
        path.write_bytes(b"")
    store.put("x", {"k": 3}, [row(value=1.0)])
    assert values() == [1.0, 99.0]


def test_damaged_runs_are_left_out_and_named(store: Store, tmp_path: Path) -> None:
    for name in ("a", "b", "c", "d"):
        (tmp_path / "store" / f"{name}.parquet").write_bytes(b"garbage")
    for _ in range(2):
        said: list[str] = []
        assert query(store, "select count(*) from results", say=said.append)[1] == [[2]]
        assert len(said) == 4
        assert said[0].startswith(f"left out: {tmp_path}/store/a.parquet: ")
        assert said[3] == "left out: 1 more files of the store that cannot be read; they can be removed"
    assert query(store, "select count(*) from samples")[1] == [[2]]


def a_source(monkeypatch: pytest.MonkeyPatch, runs: Callable[[], object]) -> None:
    monkeypatch.setattr(sources, "names", lambda: ["results"])
    monkeypatch.setattr("cipherassay.results.source.runs", runs)


def test_sources_are_seen_and_replace_earlier_runs(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    a_source(monkeypatch, lambda: iter([("x", [row(value=1.0)]), ("kept/other", [row(value=2.0)])]))
    store.put("z", {}, [row(value=3.0)])
    store.put("x-RC6", {}, [row(value=4.0)])
    assert query(store, "select value from results order by value")[1] == [[1.0], [2.0], [3.0]]


def test_a_source_that_is_wrong_is_left_out(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong() -> object:
        raise DescriptionError("H740", "a kept result of synthesis cannot be read")

    a_source(monkeypatch, wrong)
    said: list[str] = []
    assert query(store, "select count(*) from results", say=said.append)[1] == [[2]]
    assert said == [
        "the rows of results are left out: error[H740]: a kept result of synthesis cannot be read"
    ]


def test_a_cache_that_cannot_be_written(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("cipherassay.results.runs.replace", full)
    assert str(refused(store, "from results")) == (
        f"error[R019]: the rows cannot be gathered in `{tmp_path}/cache/queries`\n"
        "   = No space left on device\n"
        "   = help: name another folder in the environment variable CIPHERASSAY_CACHE"
    )
    assert query(store, "select 1")[1] == [[1]]


def test_a_cache_that_is_damaged(store: Store, tmp_path: Path) -> None:
    query(store, "from results")
    (gathered,) = (tmp_path / "cache" / "queries").glob("store-*.parquet")
    gathered.write_bytes(gathered.read_bytes()[:100])
    lines = str(refused(store, "from results")).splitlines()
    assert lines[0] == "error[R021]: the rows cannot be read"
    assert str(gathered) in lines[1]
    assert lines[2] == f"   = help: remove `{tmp_path}/cache/queries`"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_interruption_leaves_no_process(number: signal.Signals, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "from cipherassay.cli import main; main()", "query", ENDLESS, "--seconds", "4"],
        stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE), "ASSAY_STORE": str(tmp_path / "none")},
    ) as process:  # fmt: skip
        inner = _child(process.pid)
        process.send_signal(number)
        err = process.communicate()[1]
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert err == "interrupted; what was finished is kept\n"
    assert process.returncode
    end = time.monotonic() + 30
    while Path(f"/proc/{inner}").exists() and "Z" not in Path(f"/proc/{inner}/stat").read_text().split()[2]:
        assert time.monotonic() < end, "the database still runs"
        time.sleep(0.1)


def _child(parent: int) -> int:
    """Return the process that answers, once the database has taken all it reads."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        found = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        if found:
            time.sleep(0.5)
            return int(found[0])
        time.sleep(0.05)
    raise AssertionError("no process was started")
