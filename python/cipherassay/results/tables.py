"""The SQL tables and views that queries see, made from lines of runs' files."""

from __future__ import annotations

from cipherassay.results.metrics import METRICS, STATISTICS, Metric, find_metric
from cipherassay.results.origin import ORIGIN_FIELDS
from cipherassay.results.refusal import REFUSED
from cipherassay.results.row import FAILS_HOLD, FIELDS, OURS
from cipherassay.results.schema import IDENTITY, RUN, SAMPLE_FIELDS, SAMPLED, sql_type

OF_ROWS = ("results", "runs", "valid", "best", "published_vs_ours")
"""The tables and views that are made of rows."""
COLUMNS = (*FIELDS, RUN)
"""The columns of `results`."""
RUN_FIELDS = (RUN, "rows", *ORIGIN_FIELDS, "tools")
"""The columns of `runs`."""


def statements(rows: str = "", samples: str = "") -> list[str]:
    """Return the SQL that makes the tables `results`, `samples`, `runs` and `metrics`, and the views on them.

    Parameters
    ----------
    rows, samples : str
        What to select the lines from; without, the tables are empty. Lines of rows have the columns of
        `gathered.schema`.
    """
    lists = ", ".join(f"unnest({name}) as {name}" for name in SAMPLED)
    number = f"unnest(range(len({SAMPLED[0]}))) as input"
    return [
        f"create table results as select {', '.join(COLUMNS)} from {rows} where metric is not null"
        if rows
        else _empty("results", COLUMNS),
        f"create table samples as select {', '.join(IDENTITY)}, {number}, {lists} from {samples} "
        f"where {SAMPLED[0]} is not null"
        if samples
        else _empty("samples", SAMPLE_FIELDS),
        f"create table runs as {_RUNS.format(rows=rows)}" if rows else _empty("runs", RUN_FIELDS),
        _metrics(),
        f"create view valid as {_VALID}",
        f"create view best as {_BEST}",
        f"create view published_vs_ours as {_PUBLISHED_VS_OURS}",
    ]


def metrics() -> dict[str, Metric]:
    """Return every metric with its statistics, by name: ``cycles``, ``cycles_min`` and so on."""
    names = [name for base in METRICS for name in (base, *(f"{base}_{one}" for one in STATISTICS))]
    return {name: metric for name in names if (metric := find_metric(name)) is not None}


def _metrics() -> str:
    lines = (
        ", ".join(_text(word) for word in (name, one.unit, one.better, one.meaning))
        for name, one in metrics().items()
    )
    values = ", ".join(f"({line})" for line in lines)
    return f"create table metrics as select * from (values {values}) as m(metric, unit, better, meaning)"


def _text(word: str) -> str:
    return "'" + word.replace("'", "''") + "'" if word else "null::varchar"


def _empty(name: str, fields: tuple[str, ...]) -> str:
    return f"create table {name} ({', '.join(f'{field} {sql_type(field)}' for field in fields)})"


_OF_RUN = ", ".join(f"any_value({name}) as {name}" for name in ORIGIN_FIELDS)
_RUNS = f"""
    select {RUN}, count(*)::bigint as rows, {_OF_RUN},
        string_agg(distinct tools, '; ' order by tools) as tools
    from {{rows}} where metric is not null group by {RUN}"""

_VALID = f"""
    select * from results
    where not starts_with(coalesce(certificate, ''), '{FAILS_HOLD}') and metric <> '{REFUSED}'"""
"""Figures of devices that compute wrong are withdrawn: neither the best nor compared."""
_SIGNED = "case when m.better = 'lower' then {row}value else -{row}value end"
"""The lower this, the better the row."""

_BEST = f"""
    select r.* from valid r join metrics m using (metric)
    where r.basis <> 'published' and m.better is not null
    qualify row_number() over (
        partition by cipher, variant, part, operation, key_bits, level, target, metric, implementation
        order by {_SIGNED.format(row="r.")}, strategy, configuration) = 1"""

_SAME = " and ".join(f"(p.{name} is null or o.{name} = p.{name})" for name in (
    "operation", "key_bits", "architecture", "key_mode", "speed_grade",
))  # fmt: skip
"""What a paper does not say agrees with everything."""

_PUBLISHED_VS_OURS = f"""
    with p as (
        select *, row_number() over () as number, case level
            when 'hardware' then regexp_replace(metric, '_(min|max)$', '') else metric end as base
        from results where basis = 'published' and strategy is null),
    o as (
        select * from valid where basis <> 'published' and implementation = '{OURS}')
    select p.cipher, p.variant, p.part, p.operation, p.key_bits, p.level, p.platform, p.architecture,
        p.key_mode, p.speed_grade, p.metric, p.unit, m.better, p.implementation as paper,
        p.reference_source as source, p.value as published, o.value as ours,
        o.value / nullif(p.value, 0) as ratio, o.target, o.strategy,
        o.configuration, o.basis, o.command
    from p join o on o.cipher = p.cipher and o.platform = p.platform and o.metric = p.base
        and o.part is not distinct from p.part
        and (o.level = 'hardware' or o.variant is not distinct from p.variant) and {_SAME}
    join metrics m on m.metric = p.base
    qualify row_number() over (
        partition by p.number, o.target
        order by case when p.metric = p.base then {_SIGNED.format(row="o.")}
            when p.metric like '%_min' then o.value else -o.value end, o.strategy, o.configuration) = 1"""
"""Published numbers, each beside our best for the same; of devices, where a paper prints the least and the
greatest over speed grades, beside our least and greatest."""
