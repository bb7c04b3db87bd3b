"""What AXI4-Stream and APB say of a bus, as tests for cocotb of a device behind one; run by `run`.

Nothing here shares code with what writes the wrappers: bytes go into words as AMBA orders them, least significant first.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PATIENCE = 3000
_MAIN = """
from pathlib import Path
from cocotb_tools.runner import get_runner
runner = get_runner("icarus")
runner.build(sources={sources!r}, hdl_toplevel={top!r}, build_dir="sim_build", timescale=("1ns", "1ps"))
runner.test(hdl_toplevel={top!r}, test_module="support.bus_benches", build_dir="sim_build", testcase={case!r})
"""


def run(folder: Path, files: Mapping[str, str], top: str, bus: str, tests: Sequence[Mapping[str, Any]]) -> str:
    """Simulate a module in a folder with vectors; return what was printed, or fail.

    Parameters
    ----------
    tests : sequence of mapping
        ``key``, ``new_key``, ``size``, ``backward``, ``block``, ``tweak``, ``expected``; bytes in hexadecimal.
    """
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "tests.json").write_text(json.dumps(list(tests)), encoding="utf-8")
    script = _MAIN.format(sources=list(files), top=top, case=bus)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "BUS_TESTS": str(folder / "tests.json")}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-4000:]
    assert "PASS=1 FAIL=0" in said, said[-4000:]
    return said


def little(data: str) -> int:
    """Return bytes in hexadecimal as a number, the first in the least significant bits."""
    return int.from_bytes(bytes.fromhex(data), "little")


class Stream:
    """The ports of a device's streams."""

    def __init__(self, dut: Any, tests: Sequence[Mapping[str, Any]]) -> None:
        self.dut, self.tests, self.random = dut, tests, random.Random(2)
        self.keyed = hasattr(dut, "s_axis_key_tdata")
        self.results: list[int] = []
        self.waiting: int | None = None

    async def reset(self) -> None:
        from cocotb.triggers import FallingEdge

        self.dut.aresetn.value = 0
        self.dut.s_axis_tvalid.value = 0
        self.dut.m_axis_tready.value = 0
        if self.keyed:
            self.dut.s_axis_key_tvalid.value = 0
        for _ in range(3):
            await FallingEdge(self.dut.aclk)
        assert int(self.dut.m_axis_tvalid.value) == 0, "TVALID must be low in reset"
        self.dut.aresetn.value = 1

    async def clock(self) -> None:
        """Take a result, or not; go to the next falling edge."""
        from cocotb.triggers import FallingEdge, ReadOnly

        takes = self.random.random() < 0.6
        self.dut.m_axis_tready.value = int(takes)
        await ReadOnly()
        if self.waiting is not None:
            assert int(self.dut.m_axis_tvalid.value) == 1, "TVALID fell before TREADY"
            assert int(self.dut.m_axis_tdata.value) == self.waiting, "TDATA changed before TREADY"
        self.waiting = None
        if int(self.dut.m_axis_tvalid.value):
            value = int(self.dut.m_axis_tdata.value)
            if takes:
                self.results.append(value)
            else:
                self.waiting = value
        await FallingEdge(self.dut.aclk)

    async def send(self, stream: str, data: int, user: int) -> None:
        """Send a beat: once TVALID is high it stays until TREADY."""
        from cocotb.triggers import ReadOnly, Timer

        while self.random.random() < 0.4:
            await self.clock()
        ports = {name: getattr(self.dut, f"{stream}_{name}") for name in ("tdata", "tvalid", "tready")}
        ports["tdata"].value, ports["tvalid"].value = data, 1
        if hasattr(self.dut, f"{stream}_tuser"):
            getattr(self.dut, f"{stream}_tuser").value = user
        for _ in range(PATIENCE):
            await ReadOnly()
            taken = int(ports["tready"].value)
            await Timer(1, "ns")
            await self.clock()
            if taken:
                ports["tvalid"].value = 0
                return
        raise AssertionError(f"{stream} takes nothing")

    async def run(self) -> None:
        for one in self.tests:
            if self.keyed and one["new_key"]:
                await self.send("s_axis_key", little(one["key"]), one["size"])
            beat = one["block"] + one["tweak"] + ("" if self.keyed else one["key"])
            await self.send("s_axis", little(beat), one["backward"])
        for _ in range(PATIENCE):
            if len(self.results) == len(self.tests):
                break
            await self.clock()
        assert self.results == [little(one["expected"]) for one in self.tests]


class Registers:
    """The registers of a device behind an APB."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut

    async def access(self, address: int, data: int | None = None) -> int:
        """Write or read a register, setup phase and access phase; the answer of an error is -1."""
        from cocotb.triggers import FallingEdge, ReadOnly

        self.dut.paddr.value, self.dut.psel.value, self.dut.penable.value = address, 1, 0
        self.dut.pwrite.value, self.dut.pwdata.value = int(data is not None), data or 0
        await FallingEdge(self.dut.pclk)
        self.dut.penable.value = 1
        await ReadOnly()
        assert int(self.dut.pready.value) == 1
        # What a write finds on PRDATA means nothing.
        found = -1 if int(self.dut.pslverr.value) else 0 if data is not None else int(self.dut.prdata.value)
        await FallingEdge(self.dut.pclk)
        self.dut.psel.value = self.dut.penable.value = 0
        return found

    async def put(self, base: int, data: str) -> None:
        """Write bytes into the words from an address on."""
        given = bytes.fromhex(data)
        for n in range(0, len(given), 4):
            assert await self.access(base + n, int.from_bytes(given[n : n + 4], "little")) >= 0

    async def until(self, bit: int, value: int) -> None:
        """Poll the state."""
        for _ in range(PATIENCE):
            if await self.access(0) >> bit & 1 == value:
                return
        raise AssertionError(f"bit {bit} of the state does not become {value}")

    async def run(self, tests: Sequence[Mapping[str, Any]], loads_key: bool) -> None:
        for one in tests:
            if one["key"] and (one["new_key"] or not loads_key):
                await self.put(0x100, one["key"])
                await self.access(0, 1 | one["size"] << 5)
                if loads_key:
                    await self.until(2, 0)
            await self.put(0x200, one["block"])
            await self.put(0x300, one["tweak"])
            await self.access(0, 2 | one["backward"] << 4)
            await self.until(1, 1)
            words = [await self.access(0x400 + n) for n in range(0, len(one["expected"]) // 2, 4)]
            data = b"".join(word.to_bytes(4, "little") for word in words)
            assert data[: len(one["expected"]) // 2].hex() == one["expected"]
            await self.access(0, 4)
            await self.until(1, 0)
        assert await self.access(0x080, 0) == -1, "an address without a register answers with an error"
        assert await self.access(0x400, 0) == -1, "the result cannot be written"


def _tests() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(Path(os.environ["BUS_TESTS"]).read_text())
    return found


async def _axis(dut: Any) -> None:
    from cocotb.clock import Clock

    Clock(dut.aclk, 10, "ns").start()
    stream = Stream(dut, _tests())
    await stream.reset()
    await stream.run()


async def _apb(dut: Any) -> None:
    from cocotb.clock import Clock
    from cocotb.triggers import FallingEdge

    Clock(dut.pclk, 10, "ns").start()
    for pin in (dut.presetn, dut.psel, dut.penable, dut.pwrite, dut.paddr, dut.pwdata):
        pin.value = 0
    for _ in range(3):
        await FallingEdge(dut.pclk)
    dut.presetn.value = 1
    await Registers(dut).run(_tests(), loads_key=hasattr(dut, "keyed"))


if "BUS_TESTS" in os.environ:
    import cocotb

    axis, apb = cocotb.test(name="axis")(_axis), cocotb.test(name="apb")(_apb)
