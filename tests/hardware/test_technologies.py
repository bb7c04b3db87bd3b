"""Technology files: what their cells compute, and that their figures can be right."""

import tomllib

import pytest

from cipherassay.circuits import cells, targets
from cipherassay.hardware.libraries import technology


def entries(name):
    return tomllib.loads((cells.FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", technology.names())
def test_every_file_is_whole(name):
    one = technology.load(name)
    assert one.title
    assert one.source
    assert one.confidence in technology.CONFIDENCES
    cells_by_name = {cell.name: cell for cell in one.cell}
    assert len(cells_by_name) == len(one.cell)
    assert (one.gate_equivalent in cells_by_name) == (one.fpga is None)
    for cell in one.cell:
        assert cell.area_um2 > 0
        assert cell.transistors % 2 == 0 or cell.name == "NOR3X1"  # folded fingers
        assert len(cell.pin_capacitance_ff or cell.pins) == len(cell.pins)
        assert bool(cell.function and cell.output) != bool(cell.functions)
        assert cell.delay_ns is None or (one.delay is not None and one.delay.load_ff > 0)


@pytest.mark.parametrize(("name", "site_um2"), [("osu050", 2.4 * 30), ("osu035", 1.6 * 20), ("osu018", 0.8 * 10), ("sky130", 0.46 * 2.72)])
def test_areas_are_whole_numbers_of_sites(name, site_um2):
    for cell in entries(name)["cell"]:
        sites = cell["area_um2"] / site_um2
        assert abs(sites - round(sites)) < 1e-3, cell["name"]


@pytest.mark.parametrize(
    ("name", "cell", "table"),
    [
        ("osu050", "NAND2X1", 0b0111),
        ("osu050", "AOI21X1", 0b0000_0111),  # high only where C and A & B are low
        ("osu050", "OAI22X1", 0x111F),
        ("osu050", "MUX2X1", 0b0101_0011),  # S chooses A, complemented; pins A, B, S
        ("sky130", "sky130_fd_sc_hd__nand2b_1", 0b1011),
        ("sky130", "sky130_fd_sc_hd__mux2i_1", 0b0011_0101),
        ("sky130", "sky130_fd_sc_hd__maj3_1", 0b1110_1000),
        ("sky130", "sky130_fd_sc_hd__a2bb2oi_1", 0x0EEE),
    ],
)
def test_cells_compute_what_their_names_say(name, cell, table):
    operation = next(o for o in targets.find(f"cells:{name}").operations if o.name == cell)
    assert operation.table == table


def test_cells_of_several_outputs_or_many_inputs_are_no_gates():
    names = {operation.name for operation in targets.find("cells:osu050").operations}
    assert "XOR2X1" in names
    assert not names & {"FAX1", "HAX1"}


def test_scaled_libraries_are_no_targets_of_circuits():
    assert cells.names() == ["osu050", "sky130"]
