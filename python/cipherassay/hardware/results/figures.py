"""What a device's clock counts make of its clock: the paper's figures of throughput, setup, latency."""

from __future__ import annotations

from dataclasses import dataclass

from cipherassay.errors import VerificationError
from cipherassay.hardware.simulation.counts import Counts

_SAME = 1e-9


@dataclass(frozen=True)
class Figures:
    """A key size and direction at a clock period; times in ns, rates in Mbit/s (sections 2.2.5 to 2.2.9)."""

    throughput_mbps: float
    """Blocks following one another as fast as the device takes them."""
    feedback_mbps: float
    """Each block waits for the result of the one before, as in CBC."""
    block_ns: float
    """From the clock that takes a block to that which shows its result; of a core, whose result is there late
    in a clock and in no register, to the end of that clock."""
    key_setup_ns: float
    """From the clock that takes a key to the first in which a block does not wait for it."""
    key_switch_ns: float
    """Key agility: from the last result under one key to the first under the next."""
    latency_ns: float
    """Key setup and one block."""
    blocks_in_flight: float
    """Blocks inside at once, on average, when they follow one another as fast as possible."""


def figures(clocks: Counts, period_ns: float) -> Figures:
    """Return the figures of clock counts at a period.

    Raises
    ------
    VerificationError
        ``H720``: throughput times the time of a block is not a block's bits for each block in flight.
    """
    of_block = max(clocks.latency, clocks.per_block)
    found = Figures(
        throughput_mbps=1000 * clocks.block_bits * clocks.copies / (clocks.per_block * period_ns),
        feedback_mbps=1000 * clocks.block_bits / (of_block * period_ns),
        block_ns=of_block * period_ns,
        key_setup_ns=clocks.key_setup * period_ns,
        key_switch_ns=clocks.key_switch * period_ns,
        latency_ns=(clocks.key_setup + of_block) * period_ns,
        blocks_in_flight=clocks.copies * of_block / clocks.per_block,
    )
    demand(found, clocks.block_bits)
    return found


def demand(found: Figures, block_bits: int) -> None:
    """Check that throughput times block time is a block's bits for each in flight; raises ``H720`` if not."""
    product = found.throughput_mbps * found.block_ns / 1000
    expected = block_bits * found.blocks_in_flight
    if abs(product - expected) > _SAME * expected:
        raise VerificationError(
            "H720",
            "throughput and block time contradict each other",
            notes=[
                f"{found.throughput_mbps:g} Mbit/s for {found.block_ns:g} ns are {product:g} bits",
                f"{found.blocks_in_flight:g} blocks in flight hold {expected:g} bits",
            ],
        )
