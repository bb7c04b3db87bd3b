"""The command `assay`: one module per verb, found by scanning this folder.

A verb module has no leading underscore and defines ``register(app: typer.Typer) -> None``. It imports what is
heavy (arrays, tables, pictures) inside its functions, so that the command starts in a fraction of a second.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from cipherassay.errors import AssayError, UsageError, nearest

INTERRUPTED = 130
BUG = 70
ROOT_OPTIONS = ("--help", "--version", "--debug")


def _show_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"assay {version('cipherassay')}")
        raise typer.Exit()


def _root(
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of a bug (or set ASSAY_DEBUG=1).")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """What a block cipher costs, on processors and in gates, from one description per cipher."""
    if debug:
        os.environ["ASSAY_DEBUG"] = "1"


def application() -> typer.Typer:
    """Build the command with every verb of this folder."""
    app = typer.Typer(
        name="assay",
        no_args_is_help=True,
        add_completion=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback()(_root)
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        if not module.name.startswith("_"):
            importlib.import_module(f"{__name__}.{module.name}").register(app)
    return app


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `assay` with the given arguments (default: the process's own) and end the process.

    Exit codes: 0, those of the error classes (2 to 6), 130 after Ctrl-C, 70 for a bug.
    """
    try:
        code = _run(arguments)
        sys.stdout.flush()
        if code == INTERRUPTED:  # the command-line library turns Ctrl-C into this result
            raise KeyboardInterrupt
    except AssayError as error:
        typer.echo(str(error), err=True)
        code = error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        typer.echo("interrupted; what was finished is kept", err=True)
        code = INTERRUPTED
    except BrokenPipeError:
        # The reader of the output (head, a pager) went away: nothing is wrong, and nothing more can be said.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except Exception as error:  # noqa: BLE001 - the last place where a bug can be said in one line
        typer.echo(_bug(error), err=True)
        code = BUG
    sys.exit(code)


def _run(arguments: Sequence[str] | None) -> int:
    command = typer.main.get_command(application())
    # No `list(…)` in this file: here that name is the module of the verb `list`.
    given = [*(sys.argv[1:] if arguments is None else arguments)]
    try:
        result = command.main(given, prog_name="assay", standalone_mode=False)
    except Exception as error:
        if hasattr(error, "format_message"):  # an error of the command-line library
            if type(error).__name__ == "NoArgsIsHelpError":
                typer.echo(error.format_message())
                return UsageError.exit_code
            raise _usage_error(error) from None
        raise
    return result if isinstance(result, int) else 0


def _usage_error(error: Any) -> UsageError:
    """Say the command-line library's error in this project's words."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "assay"
    see = f"`{path} --help` shows what it takes"
    message = str(error.format_message())
    unknown = re.match(r"No such command '([^']*)'", message)
    if unknown and context is not None:
        verbs = getattr(context.command, "commands", {})
        return UsageError("U001", f"there is no `{path} {unknown[1]}`", help=nearest(unknown[1], verbs))
    option = getattr(error, "option_name", None)
    if type(error).__name__ == "NoSuchOption" and option and context is not None:
        names = {name for parameter in context.command.params for name in parameter.opts}
        known = {name for name in names if name.startswith("--")} | {"--help"}
        return UsageError("U002", f"`{path}` has no option `{option}`", help=nearest(str(option), known))
    message = message.rstrip(".")
    return UsageError("U003", f"`{path}`: {message[:1].lower()}{message[1:]}", help=see)


def _bug(error: Exception) -> str:
    """One short report for an error that nobody foresaw; the whole traceback only when asked for."""
    if os.environ.get("ASSAY_DEBUG"):
        return "".join(traceback.format_exception(error)).rstrip()
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    where = f"\n  --> {last.filename}:{last.lineno}" if last else ""
    said = str(error).strip().splitlines()
    text = f"{type(error).__name__}: {said[0]}" if said else type(error).__name__
    return (
        f"error: a bug in assay: {text}{where}\n"
        "   = help: run the command again with `assay --debug …` and report what it prints, with the command"
    )
