"""Verilog and VHDL, simulated on every input by a test bench that instantiates all texts."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from cipherassay.circuits.emitted import EmittedText, Run, refused
from cipherassay.circuits.emitted.commands import run_tool, skipped, table_lines, tool_name
from cipherassay.tools import require

_MODULE = re.compile(r"^module (\w+) \(", re.MULTILINE)
_ENTITY = re.compile(r"^entity (\w+) is", re.MULTILINE)


def run_verilog(items: Sequence[EmittedText]) -> list[Run]:
    """Simulate modules with Icarus Verilog."""
    tool, absent = tool_name("iverilog")
    if absent:
        return [skipped(tool, absent)]
    texts = [_renamed(item, _MODULE, n) for n, item in enumerate(items)]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "all.v").write_text("\n".join([*texts, _verilog_bench(items)]))
        run_tool([require("iverilog"), "-g2001", "-Wall", "-o", "all", "all.v"], folder, "verilog")
        printed = run_tool([str(Path(require("iverilog")).with_name("vvp")), "all"], folder, "verilog")
    return [Run(tool, table_lines(_transposed(printed, items), len(items), tool, "verilog"))]


def run_vhdl(items: Sequence[EmittedText]) -> list[Run]:
    """Simulate entities with GHDL."""
    tool, absent = tool_name("ghdl")
    if absent:
        return [skipped(tool, absent)]
    texts = [_renamed(item, _ENTITY, n) for n, item in enumerate(items)]
    command = [require("ghdl")]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "all.vhd").write_text("\n".join([*texts, _vhdl_bench(items)]))
        run_tool([*command, "-a", "--std=93", "all.vhd"], folder, "vhdl")
        run_tool([*command, "-e", "--std=93", "bench"], folder, "vhdl")
        printed = run_tool([*command, "-r", "--std=93", "bench"], folder, "vhdl")
    return [Run(tool, table_lines(_transposed(printed, items), len(items), tool, "vhdl"))]


def _renamed(item: EmittedText, pattern: re.Pattern[str], n: int) -> str:
    """Two texts may have the same name, so each gets one of its own."""
    found = pattern.search(item.text)
    if not found:
        raise refused(item, item.language, "the test bench", ["it has no module or entity"])
    return re.sub(rf"\b{found[1]}\b", f"emitted_{n}", item.text)


def _verilog_bench(items: Sequence[EmittedText]) -> str:
    lines = ["`timescale 1ns/1ns", "module bench;", "  reg [8:0] v;"]
    for n, item in enumerate(items):
        lines.append(f"  wire [{item.box.outputs - 1}:0] y{n};")
        lines.append(f"  emitted_{n} box{n} (.x(v[{item.box.inputs - 1}:0]), .y(y{n}));")
    most = max(len(item.box.data) for item in items)
    lines += ["  initial begin", f"    for (v = 0; v < {most}; v = v + 1) begin", "      #1;"]
    lines += [f'      $write(" %b", y{n});' for n in range(len(items))]
    lines += ['      $write("\\n");', "    end", "  end", "endmodule", ""]
    return "\n".join(lines)


def _vhdl_bench(items: Sequence[EmittedText]) -> str:
    lines = [
        "library ieee;",
        "use ieee.std_logic_1164.all;",
        "use ieee.numeric_std.all;",
        "use std.textio.all;",
        "entity bench is",
        "end entity bench;",
        "architecture run of bench is",
        "  signal v : std_logic_vector(7 downto 0) := (others => '0');",
    ]
    shapes = [(item.box.inputs - 1, item.box.outputs - 1) for item in items]
    lines += [f"  signal y{n} : std_logic_vector({o} downto 0);" for n, (_, o) in enumerate(shapes)]
    lines.append("begin")
    for n, (i, _) in enumerate(shapes):
        lines.append(f"  box{n} : entity work.emitted_{n} port map (x => v({i} downto 0), y => y{n});")
    most = max(len(item.box.data) for item in items)
    lines += [
        "  process",
        "    variable l : line;",
        "    procedure show(word : std_logic_vector) is",
        "    begin",
        "      write(l, ' ');",
        "      for k in word'range loop",
        "        write(l, std_logic'image(word(k))(2));",
        "      end loop;",
        "    end procedure;",
        "  begin",
        f"    for n in 0 to {most - 1} loop",
        "      v <= std_logic_vector(to_unsigned(n, 8));",
        "      wait for 1 ns;",
        *(f"      show(y{n});" for n in range(len(items))),
        "      writeline(output, l);",
        "    end loop;",
        "    wait;",
        "  end process;",
        "end architecture run;",
        "",
    ]
    return "\n".join(lines)


def _transposed(printed: str, items: Sequence[EmittedText]) -> str:
    """Turn rows of inputs, with one binary word per text, into one row of values per text."""
    rows = [line.split() for line in printed.splitlines() if line.startswith(" ")]
    if any(len(row) != len(items) for row in rows):
        return printed
    columns = []
    for n, item in enumerate(items):
        words = [row[n] for row in rows[: len(item.box.data)]]
        values = [str(int(w, 2)) if set(w) <= {"0", "1"} else w for w in words]
        columns.append("= " + " ".join(values))
    return "\n".join(columns)
