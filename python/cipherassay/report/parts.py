"""The parts of a report: which jobs make the rows of which field of `ReportData`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, cast

from cipherassay import scanning
from cipherassay.native.session import Tolerance
from cipherassay.strategies import preferred

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher
    from cipherassay.jobs import Executor, Job, Rows
    from cipherassay.native.comparison import Peers
    from cipherassay.native.measurement import Settings
    from cipherassay.native.selection import Selection

REFUSALS = 8
"""So many measurements wait for a steady machine; afterwards they are made as it is, and marked."""


@dataclass(frozen=True)
class Options:
    """What to report on and how thoroughly."""

    settings: Settings
    ciphers: Sequence[str] = ()
    """Names; those of the papers without any."""
    beside: Sequence[str] = ()
    """Further ciphers or files."""
    tolerance: Tolerance = field(default_factory=lambda: Tolerance(REFUSALS))
    libraries: bool = True
    strategies: bool = True
    """Whether to measure every strategy, or only each cipher's own."""
    devices: bool = True
    """Whether to synthesize devices; at few points."""
    modelled: bool = True
    """Whether to make code for modelled and small processors."""
    seconds: float = float("inf")
    """After this time no further job is begun; the page says what is left."""
    quiet: bool = False


@dataclass(frozen=True)
class Part:
    """Jobs whose rows make one field of the report's data."""

    field: str
    """Of `ReportData`, or a study's name for rows of its own."""
    title: str
    """What the page calls it where it is not complete."""
    jobs: Sequence[Job[Rows]]
    first: frozenset[str] = frozenset()
    """Names of the jobs without which there is no first page."""

    def complete(self) -> Part:
        """Return the part as one all of which the first page has."""
        return replace(self, first=frozenset(job.name for job in self.jobs))

    @property
    def is_complete(self) -> bool:
        """Whether the first page has all of it."""
        return all(job.name in self.first for job in self.jobs)


class Contribution(Protocol):
    """A study's module ``parts``."""

    def parts(self, ciphers: Sequence[Cipher], options: Options) -> Sequence[Part]:
        """Return what the study adds to a report on ciphers: jobs for its own sections or for a field."""


def parts(ciphers: Sequence[Cipher], options: Options, place: Executor) -> list[Part]:
    """Return the parts of the report in the order in which they should be made."""
    studies = cast(list[Contribution], scanning.brought("parts"))
    keyed = [one for one in ciphers if one.keyed]  # papers and devices are for ciphers
    of_studies = [part for one in studies for part in one.parts(keyed, options)]
    known = [part for part in of_studies if part.is_complete]
    found = [_answers(ciphers).complete(), _measured(ciphers, options), *_kept(ciphers, options), *known]
    if options.libraries:
        found.append(_compared(ciphers, options))
    if options.modelled:
        found += _modelled(ciphers)
    found += [part for part in of_studies if not part.is_complete]
    if options.devices:
        from cipherassay.hardware.results.report_jobs import device_jobs

        found.append(Part("hardware", "devices synthesized here", device_jobs(keyed, place)))
    return found


def _answers(ciphers: Sequence[Cipher]) -> Part:
    from cipherassay.report import verifying

    jobs = [job for one in ciphers for variant in ("", *one.variants) for job in verifying.jobs(one, variant)]
    return Part("answers", "known answers", jobs)


def _measured(ciphers: Sequence[Cipher], options: Options) -> Part:
    """Return our C: on the first page each cipher's own strategy with its shortest keys."""
    from cipherassay.native import measuring
    from cipherassay.native.selection import Selection

    settings, tolerance = options.settings, options.tolerance
    own = [Selection(one, preferred(one), "", one.key_bits) for one in ciphers]
    jobs = measuring.jobs(own, settings, tolerance)
    first = {
        job.name for one in own for job in jobs
        if job.name.startswith(measuring.names_of(one, one.key_bits[0]))
    }  # fmt: skip
    first |= {need for job in jobs if job.name in first for need in job.needs}
    more = measuring.jobs(_alternatives(ciphers, options), settings, tolerance)
    ordered = sorted(jobs, key=lambda job: job.name not in first)
    return Part("rows", "our C on this machine", [*ordered, *more], frozenset(first))


def _alternatives(ciphers: Sequence[Cipher], options: Options) -> list[Selection]:
    """Return the variants and the other strategies of ciphers, each with the shortest keys."""
    from cipherassay import strategies
    from cipherassay.inputs import applicable_strategies
    from cipherassay.native.selection import Selection

    found = []
    for one in ciphers:
        found += [Selection(one, preferred(one), variant, one.key_bits[:1]) for variant in one.variants]
        for name in applicable_strategies(one) if options.strategies else ():
            if name != preferred(one) and not strategies.load(name).for_each_key:
                found.append(Selection(one, name, "", one.key_bits[:1]))
    return found


def _kept(ciphers: Sequence[Cipher], options: Options) -> list[Part]:
    """Return what takes no long work: results that the package keeps."""
    from cipherassay.circuits import report_jobs as circuits
    from cipherassay.hardware.results import report_jobs as devices

    names = [one.name for one in ciphers] if options.ciphers else []
    return [
        Part("circuits", "circuits", [circuits.circuit_job(names)]).complete(),
        Part("hardware", "kept devices", [devices.kept_job(ciphers)]).complete(),
    ]


def _compared(ciphers: Sequence[Cipher], options: Options) -> Part:
    from cipherassay.native import comparison, comparison_jobs
    from cipherassay.native.measurement import Settings
    from cipherassay.native.selection import Selection

    peers = comparison.load_peers()
    jobs = comparison_jobs.jobs(
        [Selection(one, preferred(one), "", one.key_bits) for one in ciphers], peers,
        Settings(comparison_jobs.INPUTS, comparison_jobs.REPEATS),
        options.tolerance,
    )  # fmt: skip
    return Part("compared", "other libraries", [*jobs, _skipped(peers)])


def _skipped(peers: Peers) -> Job[Rows]:
    """Return the job that says which libraries are left out and why."""
    from cipherassay.jobs import Job, Rows

    def work() -> Rows:
        told = [f"{s.name}: {s.reason}{f' ({s.help})' if s.help else ''}" for s in peers.skipped]
        return Rows([], remarks=told)

    return Job("native/compare/left-out", "", work)


def _modelled(ciphers: Sequence[Cipher]) -> list[Part]:
    from cipherassay.embedded import rows as embedded
    from cipherassay.processors import report_list, rows
    from cipherassay.report.platforms import platform_jobs

    kernels = [rows.job(one) for one in report_list.kernels(ciphers)]
    return [
        Part("kernels", "kernels for modelled processors", kernels),
        Part("embedded", "small processors", embedded.jobs(ciphers)),
        Part("elsewhere", "other platforms", platform_jobs(ciphers)),
    ]
