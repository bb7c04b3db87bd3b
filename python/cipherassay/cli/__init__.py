"""The command `assay`: a module or a folder of modules per verb, found by scanning this folder.

A verb's module has no leading underscore and defines ``register(app: typer.Typer) -> None``. It imports
what is heavy (arrays, tables, pictures) inside its functions, so that the command starts in a fraction of a
second. What verbs share lies in `cipherassay.console`. Verbs hold no engine code: they read options, call,
and show.
"""

from __future__ import annotations

import errno
import gc
import importlib
import os
import re
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from cipherassay import scanning, signals
from cipherassay.console import completion, renamed
from cipherassay.console.help import Verbs
from cipherassay.console.verbs import check_values
from cipherassay.errors import AssayError, ToolError, UsageError, nearest
from cipherassay.limits import Limits, limit

INTERRUPTED = 130
_CODE = re.compile("[A-Za-z][0-9]{3}")
BUG = 70
_REFUSED = (
    errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE, errno.EIO,
    errno.ENOMEM, errno.ENAMETOOLONG, errno.EAGAIN,
)  # fmt: skip
"""What the system refuses for reasons of its own: no room, no permission, too many files or processes."""
COLLECTED_AFTER = 20_000
"""New objects after which Python looks for cycles: programs and vectors are many objects without any."""
EXIT_CODES = (
    "Exit codes: 0 done; 2 the command is wrong; 3 a cipher, program or file is wrong; 4 what was made or "
    "kept failed its check; 5 something outside is missing or failed; 6 the machine is too unsteady to "
    "measure; 70 a bug; 129, 130, 143 ended by a signal."
)


def _show_version(asked: bool) -> None:
    if asked:
        from cipherassay import __version__

        typer.echo(f"assay {__version__}")
        raise typer.Exit()


def _root(
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of a bug (or set ASSAY_DEBUG=1).")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
    seconds: Annotated[
        float, typer.Option("--seconds", help="Processor time that your cipher's file may take at a time.")
    ] = Limits.seconds,
    memory: Annotated[
        float, typer.Option("--memory", help="Memory that your cipher's file may take, in GiB.")
    ] = Limits.memory,
    operations: Annotated[
        int, typer.Option("--operations", help="Operations that a cipher may have as it is written.")
    ] = Limits.operations,
) -> None:
    """What a block cipher costs, on processors and in gates, from one description per cipher."""
    if debug:
        os.environ["ASSAY_DEBUG"] = "1"
    limit(Limits(seconds, memory, operations).checked())


def application(verb: str = "") -> typer.Typer:
    """Build the command with every verb of this folder, or with one alone, which is sooner done."""
    app = Verbs(name="assay", add_completion=True, epilog=EXIT_CODES, pretty_exceptions_enable=False)
    app.callback()(_root)
    found = {name.rpartition(".")[2].replace("_", "-"): name for name in _verb_modules()}
    for name in [verb] if verb in found else sorted(found):
        importlib.import_module(found[name]).register(app)
    return app


def _verb_modules() -> list[str]:
    return scanning.names("cli")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `assay` with the given arguments (default: the process's own) and end the process.

    Exit codes: 0, those of the error classes (2 to 6), 70 for a bug, 130 after Ctrl-C, 143 after SIGTERM, 129
    after SIGHUP.
    """
    _lenient(sys.stdout)
    _lenient(sys.stderr)
    gc.set_threshold(COLLECTED_AFTER)
    with signals.orderly_end():
        code = _ended(arguments)
        if signals.received():
            signals.end_now(code)
    sys.exit(code)


def _lenient(stream: Any) -> None:
    """Let a stream write what its encoding lacks as question marks."""
    if hasattr(stream, "reconfigure") and not (stream.encoding or "").lower().startswith("utf"):
        stream.reconfigure(errors="replace")


def _ended(arguments: Sequence[str] | None) -> int:
    """Run a verb; say what it ended with and return the exit code."""
    try:
        code = _run(arguments)
        sys.stdout.flush()
        # The command-line library turns Ctrl-C into a result.
        return _interrupted() if signals.received() or code == INTERRUPTED else code
    except (KeyboardInterrupt, typer.Abort):
        return _interrupted()
    except BrokenPipeError:
        # The reader of the output (head, a pager) went away: nothing is wrong, and nothing more can be said.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # noqa: BLE001 - the last place; a panic of the engine is no `Exception`
        if signals.received():  # what a signal interrupts may fail in any way
            return _interrupted()
        error = _refusal(error) or error
        if isinstance(error, AssayError):
            typer.echo(str(error), err=True)
            return error.exit_code
        typer.echo(_bug(error), err=True)
        return BUG


def _refusal(error: BaseException) -> AssayError | None:
    """Return what to say of an error whose cause is this machine, not this program; None for others."""
    if os.environ.get("ASSAY_DEBUG"):
        return None
    if isinstance(error, ModuleNotFoundError):
        return _not_installed(error)
    if isinstance(error, ValueError) and str(error) == "embedded null byte":
        return UsageError("U007", "a path cannot have a character of code 0", help="name another path")
    if isinstance(error, MemoryError):
        return ToolError("U005", "this machine has too little memory for that", help="ask for less at once")
    if isinstance(error, OSError) and error.errno in _REFUSED:
        what = f"`{error.filename}`" if error.filename else "a file"
        help = "give room or permission, or name another"
        return ToolError("U006", f"{what} cannot be used: {error.strerror}", help=help)
    return None


def _interrupted() -> int:
    typer.echo(signals.message(), err=True)
    return signals.exit_code()


def _run(arguments: Sequence[str] | None) -> int:
    # No `list(…)` in this file: here that name is the module of the verb `list`.
    given = [*(sys.argv[1:] if arguments is None else arguments)]
    if given[:1] == ["help"]:
        if len(given) == 2 and _CODE.fullmatch(given[1]):
            return _explain(given[1])
        given = [*given[1:], "--help"]
    renamed.answer_old_command(given)
    completed = completion.asked()
    command = typer.main.get_command(application(completed or (given[0] if given else "")))
    if completed is not None:
        completion.attach(command)
    check_values(command)
    try:
        result = command.main(given, prog_name="assay", standalone_mode=False)
    except Exception as error:
        if hasattr(error, "format_message"):  # an error of the command-line library
            if type(error).__name__ == "NoArgsIsHelpError":
                typer.echo(error.format_message())
                return UsageError.exit_code
            raise _usage_error(error) from None
        raise
    finally:
        limit(Limits())
    return result if isinstance(result, int) else 0


def _explain(code: str) -> int:
    """Say what the errors of a code's group are about, and how they are mended."""
    from cipherassay.console.output import output
    from cipherassay.remedies import remedy

    found = remedy(code)
    output().print(f"{code.upper()}: {found.about}", markup=False)
    output().print(found.mend, markup=False)
    return 0


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
        renamed.answer_old_option(path.removeprefix("assay "), str(option))
        names = {name for parameter in context.command.params for name in parameter.opts}
        known = {name for name in names if name.startswith("--")} | {"--help"}
        return UsageError("U002", f"`{path}` has no option `{option}`", help=nearest(str(option), known))
    message = message.rstrip(".")
    return UsageError("U003", f"`{path}`: {message[:1].lower()}{message[1:]}", help=see)


def _not_installed(error: ModuleNotFoundError) -> ToolError | None:
    """Return which extra installs a Python package that is missing; None if no extra does."""
    from cipherassay import tools

    tool = tools.of_module(error.name or "")
    return tools.missing(tool) if tool else None


def _bug(error: BaseException) -> str:
    """One short report for an error that nobody foresaw; the whole traceback only when asked for."""
    if os.environ.get("ASSAY_DEBUG"):
        return "".join(traceback.format_exception(error)).rstrip()
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    place = _place_of_panic(error) or (f"{last.filename}:{last.lineno}" if last else "")
    where = f"\n  --> {place}" if place else ""
    said = str(error).strip().splitlines()
    text = f"{type(error).__name__}: {said[0]}" if said else type(error).__name__
    return (
        f"error: a bug in assay: {text}{where}\n"
        "   = help: run the command again with `assay --debug …` and report what it prints, with the command"
    )


def _place_of_panic(error: BaseException) -> str | None:
    """File and line in the engine's source if the error is a panic of the engine."""
    if type(error).__name__ != "PanicException":
        return None
    from cipherassay import _engine

    return _engine.last_panic()
