"""`assay front`: a cipher's organizations in hardware, from a core to a pipeline, as fronts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.console.device import CipherName, Glitches, Variant
from cipherassay.console.help import HARDWARE
from cipherassay.console.options import writable_place
from cipherassay.console.output import Json, output, show_table, write_file, write_json
from cipherassay.console.progress import Bar, progress, say
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.hardware.libraries.technology import Technology
    from cipherassay.hardware.results.fronts import FrontPoint
    from cipherassay.hardware.rtl.build import Device
    from cipherassay.hardware.rtl.organizations import Organization, Refusal
    from cipherassay.hardware.synthesis.exploring import Settings
    from cipherassay.lang.cipher import Cipher
    from cipherassay.published import PublishedRow

KINDS = ("svg", "png")


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("front", rich_help_panel=HARDWARE)(front)


def front(
    cipher: CipherName,
    technology: Annotated[
        str, typer.Option("--technology", "-t", help="The technology, or its .toml file.")
    ] = "osu018",
    organization: Annotated[
        list[str] | None, typer.Option("--organization", help="Only this one; may be repeated.")
    ] = None,
    unroll: Annotated[int, typer.Option(min=1, help="Most rounds a clock of unrolled cores.")] = 4,
    key: Annotated[str, typer.Option("--key-bits", help="A key size; default: the first.")] = "",
    direction: Annotated[
        str,
        typer.Option("--direction", help="encrypt, decrypt or both; permute or inverse; default: the first."),
    ] = "",
    variant: Variant = "",
    points: Annotated[int, typer.Option(min=1, max=10, help="Recipes tried for each function.")] = 2,
    most: Annotated[int, typer.Option("--designs", min=1, help="Whole designs timed at most, of each.")] = 6,
    energy: Annotated[bool, typer.Option("--energy", help="Energy per bit by simulating netlists.")] = False,
    glitches: Glitches = False,
    to: Annotated[
        Path | None,
        typer.Option("-o", "--output", callback=writable_place, metavar="FILE.svg|.png", help="Draw them."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
    json: Json = False,
) -> None:
    """Compare ways to build a cipher in gates.

    From a core without an interface, over unrolled rounds, to pipelines. Each is simulated and synthesized;
    those that no other beats in area and latency, or in area and throughput, are on a front. What was done is
    kept: the same command goes on where it stopped.
    """
    from cipherassay import published
    from cipherassay.hardware.libraries import technology as technologies
    from cipherassay.hardware.results.fronts import comparisons, on_fronts
    from cipherassay.hardware.rtl.organizations import Refusal
    from cipherassay.hardware.synthesis import exploring, recipes
    from cipherassay.review import load_right

    if to is not None and to.suffix.removeprefix(".") not in KINDS:
        raise UsageError("U066", f"`{to}` is no name of a picture", help="name a file FILE.svg or FILE.png")
    library = technologies.load(technology)
    names = tuple(one.name for one in recipes.of_points(points))
    settings = exploring.Settings(names, most=most, repair=False)
    loaded = load_right(cipher)
    devices = _devices(loaded, organization or [], unroll, key, direction, variant)
    printed = published.lookup(cipher=loaded.name, metric="area_ge")
    refused = [one for _, one in devices if isinstance(one, Refusal)]
    every = _points(devices, library, settings, energy=energy, glitches=glitches, quiet=quiet)
    fronts = on_fronts(every)
    if to is not None:
        from cipherassay.hardware.results.front_picture import draw

        write_file(to, draw(every, f"{cipher} in {technology}", to.suffix.removeprefix(".")))
        say(f"wrote {to}")
    if json:
        write_json(
            {
                "points": [_document(one, fronts) for one in every], "refused": list(map(_why, refused)),
                "by_hand": list(map(asdict, comparisons(every))),
                "published": [one.as_result() for one in printed],
            }
        )  # fmt: skip
        return
    _show(every, fronts, refused)
    _show_by_hand(every)
    if every:
        _show_published(printed)


def _devices(
    cipher: Cipher, chosen: Sequence[str], unroll: int, key: str, direction: str, variant: str
) -> list[tuple[Organization, Device | Refusal]]:
    from cipherassay.hardware.rtl import build, organizations

    direction = direction or cipher.shape.forward
    build.choice("direction", direction, build.directions(cipher))
    words = chosen or organizations.names()
    listed = [one for word in words for one in organizations.organizations(word, unroll)]
    made = [(one, organizations.device(cipher, one, key, direction, variant)) for one in listed]
    return [(one, device) for one, device in made if device is not None]


def _points(
    devices: Sequence[tuple[Organization, Device | Refusal]], library: Technology, settings: Settings, *,
    energy: bool, glitches: bool, quiet: bool,
) -> list[FrontPoint]:  # fmt: skip
    from cipherassay import jobs
    from cipherassay.hardware.results import fronts
    from cipherassay.hardware.rtl.organizations import Refusal

    built = [(one, device) for one, device in devices if not isinstance(device, Refusal)]
    every: list[FrontPoint] = []
    with jobs.executor("local") as place:
        for number, (one, device) in enumerate(built, 1):
            with progress(f"front {number} of {len(built)}, {one.name}", 0, quiet=quiet) as bar:
                every += fronts.points(
                    one, device, library, place, settings, Bar(bar), energy=energy, glitches=glitches
                )
                every += fronts.points_by_hand(device, library, place, settings, Bar(bar))
    return every


def _show(
    every: Sequence[FrontPoint], fronts: dict[str, list[FrontPoint]], refused: Sequence[Refusal]
) -> None:
    energy = any(one.energy_pj_bit is not None for one in every)
    heads = ("organization", "GE", "GE less interface", "clocks", "latency ns", "Mbit/s", "Mbit/s per kGE")
    rows = [
        (
            one.organization.name, one.area_ge, one.without_interface_ge, one.clocks, one.latency_ns,
            one.throughput_mbps, one.mbps_per_kge, *[one.energy_pj_bit] * energy,
            " ".join(name[0].upper() for name in _fronts_of(one, fronts)),
        )
        for one in every
    ]  # fmt: skip
    if rows:
        show_table((*heads, *["pJ/bit"] * energy, "front"), rows)
        output().print("L: no other beats it in area and latency; T: in area and throughput.", markup=False)
    for one in refused:
        output().print(f"{one.organization.name}: {one.error.code}, {one.error.message}", markup=False)


def _show_by_hand(every: Sequence[FrontPoint]) -> None:
    from cipherassay.hardware.results.fronts import comparisons

    rows = [
        (
            one.by_hand.area_ge,
            one.by_hand.latency_ns,
            *_beside(one.smallest, one.by_hand, "area_ge"),
            *_beside(one.fastest, one.by_hand, "latency_ns"),
        )
        for one in comparisons(every)
    ]
    if rows:
        output().print("Written by hand, and generated by the same flow:", markup=False)
        heads = ("by hand: GE", "latency ns", "no slower: GE", "ratio", "no larger: ns", "ratio")
        show_table(heads, rows)


def _beside(ours: FrontPoint | None, by_hand: FrontPoint, quantity: str) -> tuple[float | None, float | None]:
    if ours is None:
        return None, None
    value: float = getattr(ours, quantity)
    return value, value / float(getattr(by_hand, quantity))


def _show_published(rows: Sequence[PublishedRow]) -> None:
    if rows:
        output().print("Published, each in its own library:", markup=False)
        show_table(
            ("published", "GE", "key", "operation", "library", "source"),
            [
                (one.configuration, one.value, one.key_bits, one.operation, one.target, one.where)
                for one in rows
            ],
        )


def _fronts_of(one: FrontPoint, fronts: dict[str, list[FrontPoint]]) -> Iterator[str]:
    return (name for name, kept in fronts.items() if one in kept)


def _document(one: FrontPoint, fronts: dict[str, list[FrontPoint]]) -> dict[str, Any]:
    return {**asdict(one), "mbps_per_kge": one.mbps_per_kge, "fronts": list(_fronts_of(one, fronts))}


def _why(refused: Refusal) -> dict[str, str]:
    name, error = refused.organization.name, refused.error
    return {"organization": name, "code": error.code, "reason": error.message}
