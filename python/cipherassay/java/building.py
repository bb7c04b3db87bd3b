"""Java compiled and run: the JDK that is here, libraries by Maven, known answers before anything counts."""

from __future__ import annotations

import hashlib
import os
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay import tools
from cipherassay.cache import cache_folder
from cipherassay.errors import ToolError, VerificationError
from cipherassay.java.answers import known_answers
from cipherassay.java.emitting import PACKAGE, GeneratedClass, filled, functions
from cipherassay.tools import running

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher

RIVALS = Path(__file__).with_name("rivals.toml")
JMH = "1.37"
_SHORT_RUN = ("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC")
"""For the compiler itself, which runs for a second: with these it takes half the processor time."""


@dataclass(frozen=True)
class CompiledClasses:
    """Compiled classes with what they need beside them."""

    folder: Path
    classpath: str

    def run(self, arguments: Sequence[str], *, flags: Sequence[str] = ()) -> str:
        """Run a class with arguments; return what it prints.

        Raises
        ------
        ToolError
            ``J002``: it fails.
        """
        java = tools.require("java")
        return run_tool([str(Path(java).with_name("java")), *flags, "-cp", self.classpath, *arguments])


def run_tool(command: Sequence[str], folder: Path | None = None, *, seconds: float = running.BUILD) -> str:
    """Run a program and return what it prints.

    Raises
    ------
    ToolError
        ``J002``: it fails, with its own first words; ``T003``, ``T004``: it does not start or end.
    """
    done = running.run(command, seconds=seconds, cwd=folder)
    if done.code:
        said = [line for line in (done.out + done.err).splitlines() if line.strip()]
        raise ToolError("J002", f"`{done.name}` failed", notes=[f"exit status {done.code}", *said[:6]])
    return done.out


@cache
def virtual_machine() -> str:
    """Return the name and version of the virtual machine: ``OpenJDK 64-Bit Server VM 17.0.15``."""
    java = str(Path(tools.require("java")).with_name("java"))
    done = running.run([java, "-XshowSettings:properties", "-version"], seconds=running.ANSWER)
    lines = (line.partition("=") for line in done.err.splitlines())
    fields = {name.strip(): value.strip() for name, _, value in lines}
    return f"{fields.get('java.vm.name', 'Java')} {fields.get('java.version', '')}".strip()


@cache
def rivals() -> dict[str, dict[str, str]]:
    """Return the records of Bouncy Castle's engines by the ciphers' names."""
    records = tomllib.loads(RIVALS.read_text())
    version = records.pop("version")
    return {slug: {**record, "version": version} for slug, record in records.items()}


def libraries() -> str:
    """Return the class path of JMH and Bouncy Castle, which Maven gets once and keeps.

    Raises
    ------
    ToolError
        ``T002``: there is no Maven. ``J003``: it does not get them.
    """
    version = tomllib.loads(RIVALS.read_text())["version"]
    pom = filled("measurement.xml", {
        "package": PACKAGE,
        "libraries": [
            ("org.openjdk.jmh", "jmh-core", JMH), ("org.openjdk.jmh", "jmh-generator-annprocess", JMH),
            ("org.bouncycastle", "bcprov-jdk18on", version),
        ],
    })  # fmt: skip
    kept = cache_folder("native") / f"java-libraries-{hashlib.sha256(pom.encode()).hexdigest()[:16]}.txt"
    if kept.is_file() and all(Path(jar).is_file() for jar in kept.read_text().split(os.pathsep)):
        return kept.read_text()
    maven = tools.require("maven")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "pom.xml").write_text(pom)
        output = Path(folder, "classpath.txt")
        try:
            run_tool(
                [maven, "-q", "-B", "dependency:build-classpath", f"-Dmdep.outputFile={output}"],
                Path(folder), seconds=running.FETCH,
            )  # fmt: skip
            found = output.read_text().strip()
        except (ToolError, OSError) as error:
            raise ToolError(
                "J003",
                "Maven does not get JMH and Bouncy Castle",
                notes=[error.message, *error.notes] if isinstance(error, ToolError) else [str(error)],
                help="it needs Maven Central or a mirror of it once; `assay emit java` needs neither",
            ) from None
    temporary = kept.with_suffix(f".{os.getpid()}")
    temporary.write_text(found)
    os.replace(temporary, kept)
    return found


def compile_classes(sources: Mapping[str, str], folder: Path, classpath: str = "") -> CompiledClasses:
    """Compile Java sources (file names and texts) into a folder.

    Raises
    ------
    ToolError
        ``T002``: there is no JDK. ``J002``: it refuses them.
    """
    javac = tools.require("java")
    for name, text in sources.items():
        (folder / name).write_text(text)
    whole = os.pathsep.join(part for part in (str(folder), classpath) if part)
    run_tool([javac, *_SHORT_RUN, "-d", str(folder), "-cp", whole, *sources], folder)
    return CompiledClasses(folder, whole)


def check(cipher: Cipher, made: GeneratedClass, built: CompiledClasses, variant: str = "") -> int:
    """Run the known answers of every key size in the compiled class; return how many there were.

    Raises
    ------
    VerificationError
        ``J010``: one is wrong.
    """
    answers = built.folder / "known-answers.txt"
    answers.write_text(known_answers(cipher, made.key_bits, variant))
    said = built.run([f"{PACKAGE}.Check", "generated", str(answers)]).strip()
    return _checked(said, f"the class {made.name}, strategy `{made.strategy}`,")


def check_rival(built: CompiledClasses, engine: str) -> int:
    """The same for Bouncy Castle's engine, on the answers that `check` wrote."""
    answers = str(built.folder / "known-answers.txt")
    said = built.run([f"{PACKAGE}.Check", "rival", answers]).strip()
    return _checked(said, f"Bouncy Castle's {engine}")


def _checked(said: str, what: str) -> int:
    if not said.startswith("right: "):
        raise VerificationError(
            "J010",
            f"{what} gives a wrong answer",
            notes=[said.removeprefix("wrong: ")],
            help="its times are not measured",
        )
    return int(said.removeprefix("right: "))


def compiled(cipher: Cipher, made: GeneratedClass, folder: Path) -> CompiledClasses:
    """Compile a cipher's class with what checks it, without Bouncy Castle."""
    values = {"package": PACKAGE, "name": made.name, "rival": None, **functions(cipher)}
    check_source = filled("Check.java", values)
    return compile_classes({f"{made.name}.java": made.text, "Check.java": check_source}, folder)
