"""How `assay --help` looks: commands and options under headings, no summary cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer
import typer.core

HEADINGS = (
    DESCRIBE, MEASURE, WRITE, HARDWARE, CIRCUITS, RESULTS, RESEARCH, HERE,
) = (
    "Describe and look", "Measure and simulate", "Write code and hardware", "Synthesize hardware",
    "Circuits of S-boxes", "Results", "Research", "This installation",
)  # fmt: skip
"""The headings of `assay --help`, in order; a verb's module chooses one."""
NAMES = {"context_settings": {"help_option_names": ["-h", "--help"]}}


class VerbGroup(typer.core.TyperGroup):
    """A group whose help lists its commands under their headings, with summaries that are not cut."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands' names and summaries."""
        under: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                heading = getattr(command, "rich_help_panel", None) or "Commands"
                under.setdefault(heading, []).append((name, summary(command)))
        # All summaries begin in one column.
        width = max((len(name) for lines in under.values() for name, _ in lines), default=0)
        order = [*HEADINGS, *under]
        for heading in sorted(under, key=order.index):
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), text) for name, text in under[heading]])


class Verb(typer.core.TyperCommand):
    """A command whose help lists its options under the headings (``rich_help_panel``) that they name."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then the options without a heading, then those of each heading."""
        under: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                usual = "Arguments" if param.param_type_name == "argument" else "Options"
                under.setdefault(getattr(param, "rich_help_panel", None) or usual, []).append(record)
        for heading, records in under.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


class Verbs(typer.Typer):
    """Commands of which all look as `VerbGroup` and `Verb` say."""

    def __init__(self, help: str = "", **settings: Any) -> None:
        given: dict[str, Any] = {"no_args_is_help": True, "rich_markup_mode": None, **NAMES, **settings}
        if help:
            given["help"] = help
        super().__init__(cls=VerbGroup, **given)
        if help:  # without a callback a group of one command would be that command
            self.callback(help=help)(lambda: None)

    def command(self, name: str | None = None, **settings: Any) -> Callable[..., Any]:
        """Add a command; ``rich_help_panel`` is its heading."""
        return super().command(name, cls=Verb, **settings)


def summary(command: Any) -> str:
    """Return the first sentence of a command's help, whole."""
    first = " ".join((command.help or "").split("\n\n")[0].split())
    return first.split(". ")[0].removesuffix(".")
