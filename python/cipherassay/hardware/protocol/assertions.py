"""The protocol of a device as SystemVerilog assertions, from what its README says of the pins alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cipherassay.hardware.rtl.build import CORE, Clocks, Device
from cipherassay.hardware.simulation.benches import template
from cipherassay.hardware.simulation.own import locked

_TEMPLATE = Path(__file__).parent / "templates" / "checker.sv"


@dataclass(frozen=True)
class Assertion:
    """A label, what it says in a sentence, and the condition in Verilog."""

    label: str
    text: str
    condition: str


def assertions(device: Device) -> list[Assertion]:
    """Return the assertions of a device's protocol, which hold in every clock after the first reset."""
    takes, keyed, most = "take" in device.inputs, device.loads_key, most_inside(device)
    blocks = "block is" if most == 1 else "blocks are"
    steady = flows(device)
    found = [
        (keyed, "no_key", "`ready` is 0 until a key was taken.", "!ready || keyed"),
        (locks(device), "key_setup", "While a key is set up, nothing is taken.", "setup == 0 || !ready"),
        (
            True,
            "idle",
            "An empty device is ready, after key setup." if locks(device) else "An empty device is ready.",
            f"{'!keyed || ' if keyed else ''}!quiet[{_idle(device) - 1}] || ready",
        ),
        (not steady, "room", f"At most {most} {blocks} inside.", f"blocks <= {most}"),
        (not steady, "no_block", "There is a result only where a block was taken.", "!valid || blocks != 0"),
        (
            steady,
            "latency",
            "A result is there after the clocks of its block, and in no other clock.",
            "valid == due[0]",
        ),
        (
            not steady,
            "latency",
            "A block that finds the device empty has its result after its clocks, not before.",
            "due == 0 || valid == due[0]",
        ),
        (takes, "stays", "A result stays until it is taken.", "!held || valid"),
        (takes, "stable", "It does not change meanwhile.", "!held || data_out == result"),
    ]
    return [Assertion(label, text, condition) for there, label, text, condition in found if there]


def checker(device: Device) -> tuple[str, str]:
    """Return name and text of the file with a device's assertions, and the device with them."""
    longest = max(_due(clocks, waits=locks(device)) for clocks in device.clocks.values())
    text = template(_TEMPLATE).render(
        name=device.name,
        pins=device.pins,
        loads_key=device.loads_key,
        take="take" in device.inputs,
        locks=locks(device),
        locked=locked(device),
        partly=partly(device),
        flows=flows(device),
        unknown=_unknown(device),
        backward=device.roles[1],
        size_width=device.size_width,
        result_bits=sum(device.words["data_out"]),
        count_bits=(most_inside(device) + 1).bit_length(),
        longest=longest,
        idle=_idle(device),
        clocks=_clocks_now(device),
        assertions=[(one.label, one.text, one.condition) for one in assertions(device)],
    )
    return f"{device.name}_protocol.sv", text


def locks(device: Device) -> bool:
    """Return whether every key is set up, and keeps others out meanwhile."""
    return device.loads_key and all(clocks.key_setup for clocks in device.clocks.values())


def partly(device: Device) -> bool:
    """Return whether keys are set up for one direction alone; the other takes blocks meanwhile."""
    setups = {bool(clocks.key_setup) for clocks in device.clocks.values()}
    return device.loads_key and len(setups) > 1


def flows(device: Device) -> bool:
    """Return whether nothing stalls a block once it has begun: every result comes after known clocks."""
    return "take" not in device.inputs and device.architecture != CORE and not partly(device)


def most_inside(device: Device) -> int:
    """Return how many blocks a device holds at most, with the result at its pins."""
    if device.architecture == CORE:
        return 1
    if "take" in device.inputs:
        return device.copies + 1
    return max(clocks.latency for clocks in device.clocks.values())


def _idle(device: Device) -> int:
    """Return after how many clocks without a block and without a key an empty device is ready."""
    return max(clocks.key_setup for clocks in device.clocks.values()) if locks(device) else 1


def _due(clocks: Clocks, *, waits: bool) -> int:
    return clocks.latency + (clocks.key_setup - 1 if waits else 0)


def _clocks_now(device: Device) -> str:
    """Return the clocks of a block that is taken now, in Verilog: by size, direction, key in its clock."""
    texts = [
        _of_size(device, {decrypt: one for (size, decrypt), one in device.clocks.items() if size == bits})
        for bits in device.key_sizes
    ]
    if len(set(texts)) == 1:
        return texts[0]
    choices = [f"size_now == {code} ? {text} : " for code, text in enumerate(texts[:-1])]
    return "".join([*choices, texts[-1]])


def _of_size(device: Device, clocks: Mapping[bool, Clocks]) -> str:
    texts = {decrypt: _of_mode(device, one) for decrypt, one in clocks.items()}
    if len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    return f"({device.roles[1]} ? {texts[True]} : {texts[False]})"


def _of_mode(device: Device, clocks: Clocks) -> str:
    if not locks(device):
        return str(clocks.latency)
    return f"(takes_key ? {_due(clocks, waits=True)} : {clocks.latency})"


def _unknown(device: Device) -> str:
    """Return, in Verilog, when a block's clocks are not known: key setup for it may be under way."""
    return f"{device.roles[1]} && (takes_key || !prepared)" if partly(device) else ""
