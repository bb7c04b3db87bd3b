"""Organizations of a cipher in hardware side by side, and which no other beats."""

from dataclasses import replace
from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.hardware.results.front_picture import draw
from cipherassay.hardware.results.fronts import FrontPoint, on_fronts
from cipherassay.hardware.rtl import organizations
from cipherassay.hardware.rtl.organizations import Organization, Refusal
from support.command import assay

Capture = pytest.CaptureFixture[str]


def point(name: str, area: float, latency: float, throughput: float) -> FrontPoint:
    return FrontPoint(Organization(name, "", "core", "small"), 1, area, area, 1.0, 9, latency, throughput)


POINTS = [
    point("small", 1000, 100, 10), point("also small", 1000, 100, 10), point("large", 3000, 40, 9),
    point("pipelined", 9000, 120, 900), point("worse", 3500, 50, 9.5),
]  # fmt: skip


def test_the_fronts_of_points() -> None:
    names = {name: [one.organization.name for one in kept] for name, kept in on_fronts(POINTS).items()}
    assert names == {"latency": ["small", "large"], "throughput": ["small", "pipelined"]}
    smaller = [*POINTS, replace(POINTS[0], area_ge=999.0)]
    assert [one.area_ge for one in on_fronts(smaller)["latency"]] == [999, 3000]


def test_unrolled_stands_for_numbers_of_rounds() -> None:
    found = list(organizations.organizations("unrolled", 9))
    assert [one.name for one in found] == ["unrolled-2", "unrolled-4", "unrolled-8"]
    assert [one.strategy.partition(":")[2] for one in found] == [f"iterations={n}" for n in (2, 4, 8)]
    assert list(organizations.organizations("unrolled", 1)) == []


@pytest.mark.parametrize("name", organizations.names())
def test_every_organization_is_built_or_refused_with_a_reason(name: str) -> None:
    for one in organizations.organizations(name, 2):
        made = organizations.device(load("rijndael"), one, "", "both", "")
        if isinstance(made, Refusal):
            assert (one.architecture, made.error.code) == ("core", "H316")
        else:
            assert made is not None
            assert (made.architecture, made.strategy.name) == (one.architecture, one.strategy)
    (word_serial,) = organizations.organizations("word-serial", 2)
    assert organizations.device(load("rc6"), word_serial, "", "both", "") is None


@pytest.mark.parametrize(("kind", "begin"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_equal_points_give_equal_pictures(kind: str, begin: bytes) -> None:
    picture = draw(POINTS, "a cipher", kind)
    assert picture.startswith(begin)
    assert picture == draw(POINTS, "a cipher", kind)


def test_the_front_of_a_cipher(tmp_path: Path, capsys: Capture) -> None:
    picture = tmp_path / "front.svg"
    chosen = ("--organization", "core", "--organization", "unrolled", "--unroll", "2", "--points", "1")
    command = ("front", "simon32", "-t", "generic", *chosen, "--energy", "--quiet")
    ran = assay(capsys, *command, "-o", str(picture), "--json")
    assert ran.code == 0, ran.err
    found = ran.json["points"]
    assert {one["organization"]["name"] for one in found} == {"core", "unrolled-2"}
    core = min(found, key=lambda one: one["area_ge"])
    # 32 bits of state, 64 of key and 6 of the counter, in flip-flops of at least four NAND2.
    assert core["organization"]["name"] == "core"
    assert core["area_ge"] > 4 * (32 + 64 + 6)
    assert (core["clocks"], core["area_ge"]) == (34, core["without_interface_ge"])
    assert "latency" in core["fronts"]
    assert core["mbps_per_kge"] == pytest.approx(1000 * core["throughput_mbps"] / core["area_ge"])
    assert all(one["energy_pj_bit"] > 0 for one in found)
    assert ran.json["refused"] == []
    assert "unrolled-2" in picture.read_text()
    table = assay(capsys, *command).out
    assert max(map(len, table.splitlines())) <= 80
    assert "L: no other beats it in area and latency; T: in area and throughput." in table


def test_what_a_cipher_has_not_is_said(capsys: Capture) -> None:
    ran = assay(capsys, "front", "rijndael", "--direction", "both", "--organization", "core", "--quiet")
    assert ran.code == 0
    assert ran.words == "core: H316, a core takes its key with each block, and has no time for key setup"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--organization", "tiny"), "error[H306]: there is no organization `tiny`"),
        (("-o", "front.txt"), "error[U066]: `front.txt` is no name of a picture"),
        (("--key-bits", "81"), "error[H306]: there is no key version `81`"),
    ],
)
def test_wrong_options(options: tuple[str, ...], said: str, capsys: Capture) -> None:
    ran = assay(capsys, "front", "present", *options)
    assert (ran.code, ran.err.splitlines()[0]) == (2, said)


def test_published_areas_stand_below(capsys: Capture) -> None:
    command = ("front", "simon64", "-t", "generic", "--organization", "core", "--points", "1", "--designs", "1", "--quiet")
    (printed,) = assay(capsys, *command, "--json").json["published"]
    assert (printed["metric"], printed["value"], printed["unit"], printed["basis"]) == ("area_ge", 838, "GE", "published")
    assert "838   96  encrypt    130 nm   Beaulieu et al., SIMON and SPECK," in assay(capsys, *command).out
