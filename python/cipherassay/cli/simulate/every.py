"""`assay simulate --rtl --all`: every device of the papers in one simulator, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.console.output import show_table, write_json
from cipherassay.console.progress import say
from cipherassay.errors import VerificationError

if TYPE_CHECKING:
    from cipherassay.hardware.simulation import verified


def simulate_all(simulator: str, strategy: str, every: int, store: bool, json: bool) -> None:
    """Simulate all ciphers, architectures and key versions; raises ``H512`` where devices fail."""
    from cipherassay.ciphers import of_papers
    from cipherassay.hardware.simulation import simulators, verified

    reference = simulators.simulator(simulator)
    wanted = verified.tasks(strategy, of_papers())

    def watch(outcome: verified.Outcome) -> None:
        say(f"{'passed' if outcome.record else 'FAILED'}: {outcome.task.title}")
        if store and outcome.record is not None:
            verified.keep(simulator, outcome.record)

    outcomes = verified.run(wanted, reference, every, watch)
    records = [one.record for one in outcomes if one.record is not None]
    if store:
        for record, why in verified.stale(simulator):
            say(f"stale: {record['design']} ({record['strategy']}): {why}")
    if json:
        failed = {one.task.title: one.error for one in outcomes if one.error}
        write_json({"simulator": simulator, "records": records, "failed": failed})
    else:
        rows = [(r["design"], sum(r["vectors"].values()), r["clocks"]) for r in records]
        show_table(("design", "vectors passed", "clocks"), rows)
    if len(records) < len(outcomes):
        raise VerificationError(
            "H512",
            f"{len(outcomes) - len(records)} of {len(outcomes)} devices fail in {simulator}",
            notes=[f"{one.task.title}: {one.error}" for one in outcomes if one.error][:3],
        )
