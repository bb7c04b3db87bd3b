"""Quick kernels: one choice, one order; what stores by data may wait less than its schedule."""

from __future__ import annotations

import pytest

from cipherassay import processors
from cipherassay.ciphers import load
from cipherassay.errors import VerificationError
from cipherassay.processors import caching, checking, making
from cipherassay.processors.kernel import Choice
from cipherassay.processors.oracles import gas


@pytest.mark.parametrize("processor", ["mckinley", "cortex-m3", "alpha-21164a", "pa8500"])
def test_a_quick_kernel_is_right_and_has_a_bound_that_holds(processor: str) -> None:
    cipher = load("xtea")
    made = making.make(cipher, "encrypt", processors.load(processor), Choice("straight"), effort=making.QUICK)
    found = checking.check(made, cipher)
    assert made.bound is not None
    assert made.bound <= found.cycles


def test_stores_by_data_have_no_bound() -> None:
    """A load waits for a store in the schedule; in the processor it does not where it is of another place."""
    cipher = load("frog")
    model = processors.load("mckinley")
    made = making.make(cipher, "encrypt", model, Choice("straight"), effort=making.QUICK)
    assert made.stores_by_data
    assert caching.may_wait_less(made)
    assert made.bound is None
    assert checking.check(made, cipher).most <= made.planned


def test_a_loop_beyond_its_branch_says_its_bytes() -> None:
    if why := gas.binutils("pa-risc").available():
        pytest.skip(why)
    text = "\n".join(["loop:", *["\tnop"] * 3000, "\taddib,<> -1,%r3,loop", "\tnop"]) + "\n"
    with pytest.raises(VerificationError) as caught:
        gas.assemble(text, gas.binutils("pa-risc"))
    assert str(caught.value).startswith("error[M614]: a loop is too long for its branch: 120")
