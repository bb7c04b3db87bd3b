"""Where jobs run: memory kept, results kept, sweeps resumed, workers lost."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from cipherassay import jobs
from cipherassay.errors import ToolError, UsageError
from cipherassay.hardware.synthesis.job_results import results
from cipherassay.hardware.tools import cached
from cipherassay.jobs.executor import Dask
from cipherassay.jobs.progress import SilentProgress
from support.counted_jobs import CountedJob


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path / "cache"))


def lines(path: Path, word: str) -> list[str]:
    return [line for line in path.read_text().splitlines() if line.startswith(word)] if path.exists() else []


def test_results_come_in_the_order_of_the_jobs_and_are_kept(tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    listed = [CountedJob(n, str(diary), seconds=0.02 * (3 - n % 3)) for n in (5, 3, 8, 3)]
    assert results(listed, jobs.Local(3)) == ["25", "9", "64", "9"]
    assert len(lines(diary, "end")) == 3  # the same job once
    assert results(listed, jobs.Local(3)) == ["25", "9", "64", "9"]
    assert len(lines(diary, "end")) == 3


def test_the_memory_budget_holds_jobs_back(tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    listed = [CountedJob(n, str(diary), seconds=0.05, memory_mb=600) for n in range(4)]
    results(listed, jobs.Local(4, memory_mb=1000))
    words = [line.split()[0] for line in diary.read_text().splitlines()]
    assert words == ["begin", "end"] * 4


def test_a_job_above_the_budget_still_runs(tmp_path: Path) -> None:
    assert results([CountedJob(2, str(tmp_path / "d"), memory_mb=1e9)], jobs.Local(2)) == ["4"]


def test_an_interrupted_sweep_goes_on_where_it_stopped(tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    listed = [CountedJob(n, str(diary), seconds=0.05) for n in range(6)]
    seen = []

    class Interrupt(SilentProgress):
        def done(self, jobs: int, title: str) -> None:
            seen.append(title)
            if len([one for one in seen if one]) == 2:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        results(listed, jobs.Local(1), Interrupt())
    before = len(lines(diary, "begin"))
    assert before < 6
    assert results(listed, jobs.Local(1)) == [str(n * n) for n in range(6)]
    assert len(lines(diary, "begin")) <= 7  # at most the one under way is done again


def test_work_side_by_side_does_a_job_once_and_keeps_to_the_cores(tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    place = jobs.Local(1)

    def work(first: int) -> list[str]:
        listed = [CountedJob(n, str(diary), seconds=0.05) for n in (first, 9)]
        return results(listed, place)

    assert jobs.together([lambda: work(2), lambda: work(3)]) == [["4", "81"], ["9", "81"]]
    words = [line.split()[0] for line in diary.read_text().splitlines()]
    assert words == ["begin", "end"] * 3


def test_where_one_of_several_fails_the_others_end(tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    place = jobs.Local(1)

    def fails() -> list[str]:
        raise ToolError("H701", "it fails")

    def goes_on() -> list[str]:
        return results([CountedJob(n, str(diary), seconds=0.1) for n in range(50)], place)

    with pytest.raises(ToolError, match="it fails"):
        jobs.together([goes_on, fails])
    assert len(lines(diary, "begin")) < 50


def test_a_damaged_result_is_made_anew(tmp_path: Path) -> None:
    job = CountedJob(7, str(tmp_path / "diary"))
    results([job], jobs.Local(1))
    (path,) = (tmp_path / "cache" / "synthesis").rglob("*.gz")
    path.write_bytes(path.read_bytes()[:-6])
    assert cached.CACHE.find(job.key) is None
    assert results([job], jobs.Local(1)) == ["49"]


def test_two_dask_workers_one_of_them_killed(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="pip install 'cipherassay[cluster]'")
    diary = tmp_path / "diary"
    listed = [CountedJob(n, str(diary), seconds=0.3) for n in range(8)]
    killed: list[str] = []
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):

        class KillOne(SilentProgress):
            def done(self, jobs: int, title: str) -> None:
                if title and not killed:
                    killed.append(one_at_work(diary))
                    os.kill(int(killed[0]), signal.SIGKILL)

        assert results(listed, Dask(client), KillOne()) == [str(n * n) for n in range(8)]
    assert len(killed) == 1
    assert {line.split()[2] for line in lines(diary, "end")} - set(killed)
    assert len(lines(diary, "begin")) > len(listed)  # what the killed one had in hand was begun again


def one_at_work(diary: Path) -> str:
    """Return the process that began a job last, when it has not ended it yet."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        *_, (word, _, process) = (line.split() for line in diary.read_text().splitlines())
        if word == "begin":
            return process
        time.sleep(0.01)
    raise AssertionError(f"no job is being done:\n{diary.read_text()}")


def test_jobs_by_name(tmp_path: Path) -> None:
    with jobs.executor("local", workers=3) as one:
        assert isinstance(one, jobs.Local)
        assert one.workers == 3
    with pytest.raises(UsageError) as caught, jobs.executor("dusk://x"):
        pass
    assert str(caught.value) == (
        "error[H709]: unknown executor `dusk://x`\n   = help: known: local, dask://HOST:PORT, dask://local"
    )


def test_a_scheduler_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed", reason="pip install 'cipherassay[cluster]'")

    def refuse(*arguments: object, **named: object) -> None:
        raise OSError("Timed out trying to connect to tcp://nowhere:1")

    monkeypatch.setattr(distributed, "Client", refuse)
    with pytest.raises(ToolError) as caught, jobs.executor("dask://nowhere:1"):
        pass
    assert caught.value.code == "H707"
    assert caught.value.message == "the Dask scheduler `nowhere:1` does not answer"
