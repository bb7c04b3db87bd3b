"""The pages of the command: every verb with its arguments and options, as the command itself knows them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from inspect import cleandoc
from typing import Any

import typer
from scripts.documents.markdown import code, plain, table

from cipherassay.cli import EXIT_CODES, application

FOLDER = "reference/command"
Page = tuple[str, str]


@cache
def pages() -> tuple[Page, ...]:
    """Return the path and the text of each page: one for the whole command, one for each verb."""
    command = typer.main.get_command(application())
    verbs = {name: verb for name, verb in getattr(command, "commands", {}).items() if not verb.hidden}
    found = [(f"{FOLDER}/index.md", _overview(command, verbs))]
    for name, verb in verbs.items():
        found.append((f"{FOLDER}/{name}.md", "\n".join(_verb(verb, ("assay", name), 1))))
    return tuple(found)


def _overview(command: Any, verbs: dict[str, Any]) -> str:
    groups: dict[str, list[tuple[str, str]]] = {}
    for name, verb in sorted(verbs.items()):
        group = getattr(verb, "rich_help_panel", None)
        line = (f"[`assay {name}`]({name}.md)", plain(_first_line(verb)))
        groups.setdefault(group if isinstance(group, str) else "Verbs", []).append(line)
    tables = [f"## {group}\n\n{table(('verb', 'what it does'), lines)}" for group, lines in groups.items()]
    codes = [entry.strip(" .") for entry in EXIT_CODES.partition(":")[2].split(";")]
    return "\n".join([
        "# The command\n", f"{plain(_help(command))}\n", *tables,
        "## Options before the verb\n", *_options(command),
        "## Exit codes\n", *(f"* {plain(entry)}" for entry in codes), "",
    ])  # fmt: skip


def _verb(verb: Any, words: tuple[str, ...], level: int) -> Iterator[str]:
    yield f"{'#' * level} {' '.join(words)}\n"
    yield f"{plain(_help(verb))}\n"
    parts: dict[str, Any] = getattr(verb, "commands", {})
    if not parts or any(parameter.name != "help" for parameter in verb.params):
        yield f"```\n{' '.join(words)} {' '.join(_usage(verb, bool(parts)))}\n```\n"
        yield from _arguments(verb)
        yield from _options(verb)
    for name, part in parts.items():
        yield from _verb(part, (*words, name), level + 1)


def _usage(verb: Any, group: bool) -> Iterator[str]:
    if any(one.param_type_name == "option" for one in verb.params):
        yield "[OPTIONS]"
    for one in verb.params:
        if one.param_type_name == "argument":
            yield _argument(one) if one.required else f"[{_argument(one)}]"
    if group:
        yield "VERB …"


def _argument(one: Any) -> str:
    name = str(one.metavar or one.name).upper().rstrip(".…").strip("[]")
    return f"{name}…" if one.nargs == -1 else name


def _arguments(verb: Any) -> Iterator[str]:
    found = [one for one in verb.params if one.param_type_name == "argument"]
    if found:
        lines = [(code(_argument(one)), plain(one.help or "")) for one in found]
        yield table(("argument", "meaning"), lines)


def _options(verb: Any) -> Iterator[str]:
    options = (one for one in verb.params if one.param_type_name == "option")
    found = [one for one in options if not getattr(one, "hidden", False)]
    lines = [(_names(one), code(_value(one)), plain(one.help or "")) for one in found if one.name != "help"]
    if lines:
        yield table(("option", "value", "meaning"), lines)


def _names(option: Any) -> str:
    off = [f" / {code(name)}" for name in option.secondary_opts]
    return ", ".join(code(name) for name in sorted(option.opts, key=len)) + "".join(off)


def _value(option: Any) -> str:
    """Return what an option takes and what it is without: ``INT = 30``; a flag takes nothing."""
    if option.is_flag:
        return ""
    choices = "|".join(map(str, getattr(option.type, "choices", ())))
    kind = option.metavar or choices or option.type.name.upper().removesuffix(" RANGE")
    default = "" if option.default is None or callable(option.default) else str(option.default)
    several = " …" if option.multiple else ""
    return f"{kind}{several}" + (f" = {default}" if default and not option.multiple else "")


def _help(command: Any) -> str:
    return cleandoc(command.help or "").replace("\b", "")


def _first_line(command: Any) -> str:
    return _help(command).partition("\n\n")[0]
