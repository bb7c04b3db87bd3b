"""The folder that `assay emit asm` writes for C: functions, header, driver with known answers, README."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cipherassay.errors import DescriptionError
from cipherassay.processors.functions.convention import Convention, of
from cipherassay.processors.functions.kernels import Kernels
from cipherassay.processors.functions.layout import Structure, check_keys, element_type, length, structure
from cipherassay.processors.functions.text import Argument, function, written
from cipherassay.processors.harness import Object
from cipherassay.processors.kernel import Kernel
from cipherassay.vectors.drivers import Answers, Calls, driver

_HEADER = """\
/* {title}. Made by `{command}`.
 * {alignment}
 * What a function reads and what it writes must not overlap. Functions keep no state: round keys and results
 * are the caller's, working memory is on the stack and is left as it was last used.
 */
#ifndef {guard}
#define {guard}

#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

{declarations}

#ifdef __cplusplus
}}
#endif

#endif
"""

_README = """\
# {title} for {processor}

Made by `{command}`.

| file | what it is |
|---|---|
| `{p}.s` | {contents} |
| `{p}.h` | their declarations |
| `main.c` | a driver: known answers are checked |{files}
{run}
The functions keep to {convention}: {source}. `{p}.h` declares them:

```c
{functions}
```

{alignment} {keys} is on the stack.

| function | cycles | instructions | bytes of tables |
|---|---|---|---|
{rows}

Cycles are those of the model of the processor, without call, saved registers and return.
"""

_RUN = """
Run it (Debian: `apt-get install {packages}`):

```sh
{build}
{run}
```

It prints:

```text
{p}: {checks} of {checks} known answers right
```

"""


_KEYS = {
    True: "Round keys lie in a structure that the caller has room for; working memory",
    False: "Working memory",
}


class Folder:
    """The functions of a cipher on a processor, and what is written about them.

    Parameters
    ----------
    kernels : Kernels
        Of all operations.
    command : str
        The command that writes the folder.

    Raises
    ------
    UsageError
        ``M740``: the instruction set has no calling convention.
    DescriptionError
        ``M741``, ``M742``: round keys or texts are not as functions need them.
    """

    def __init__(self, kernels: Kernels, command: str) -> None:
        self.kernels, self.command = kernels, command
        head = kernels.forward
        self.convention: Convention = of(head.processor)
        self.prefix = kernels.cipher.slug.replace("-", "_")
        variant = f", {head.variant}" if head.variant else ""
        of_keys = f", keys of {head.key_bits} bits" if kernels.cipher.keyed else ""
        self.title = f"{kernels.cipher.name}{variant}{of_keys}"
        self.answers = Answers.of(kernels.cipher, head.key_bits, head.variant)
        self.structures = list(self._structures())

    def files(self) -> list[tuple[str, str]]:
        """Return names and texts."""
        program = self.convention.program
        further = program.files if program else {}
        return [
            (f"{self.prefix}.s", self.assembly()),
            (f"{self.prefix}.h", self.header()),
            ("main.c", self.driver()),
            *((name, text.lstrip("\n")) for name, text in further.items()),
            ("README.md", self.readme()),
        ]

    def _structures(self) -> Iterator[Structure]:
        names = (f"{self.prefix}_keys", f"{self.prefix}_decrypt_keys")
        for name, setup in zip(names, self.kernels.setups, strict=False):
            yield structure(name, setup)

    def _keys(self, kernel: Kernel) -> tuple[Kernel, Structure]:
        """Return the key setup of an encryption or decryption, and what it makes."""
        place = 0 if kernel is self.kernels.forward else -1
        return self.kernels.setups[place], self.structures[place]

    def symbol(self, kernel: Kernel) -> str:
        """Return the name of a kernel's function."""
        return f"{self.prefix}_{kernel.operation.replace('key_setup_encrypt', 'key_setup')}"

    def arguments(self, kernel: Kernel) -> list[Argument]:
        """Return what C passes: round keys in a structure, arrays; first what is read."""
        every = sorted(enumerate(kernel.interface.objects), key=lambda one: one[1].number)
        read = [(k, one) for k, one in every if one.role == "parameter"]
        made = [(k, one) for k, one in every if one.role == "result"]
        if kernel.operation.startswith("key_setup"):
            keys = next(
                k for k, one in zip(self.structures, self.kernels.setups, strict=True) if one is kernel
            )
            places = {k: keys.offset(one.number) for k, one in made}
            return [*(_array(k, one) for k, one in read), Argument(f"{keys.name} *keys", places)]
        if not self.kernels.setups:
            return [_array(k, one) for k, one in (*read, *made)]
        setup, keys = self._keys(kernel)
        count = len(keys.fields)
        check_keys(keys, setup, kernel, count)
        places = {k: keys.offset(one.number) for k, one in read if one.number < count}
        given = [_array(k, one) for k, one in read if one.number >= count]
        return [Argument(f"const {keys.name} *keys", places), *given, *(_array(k, one) for k, one in made)]

    def declarations(self) -> list[str]:
        """Return the functions as C declares them."""
        given = [", ".join(one.declared for one in self.arguments(kernel)) for kernel in self.kernels.all]
        return [f"void {self.symbol(one)}({of});" for one, of in zip(self.kernels.all, given, strict=True)]

    def assembly(self) -> str:
        """Return the text of all functions and their tables."""
        mark = self.kernels.forward.text.split(" ", 1)[0]
        parts = [
            f"{mark} {self.title}, for {self.kernels.forward.processor.name}. Made by `{self.command}`.\n"
        ]
        tables: dict[bytes, str] = {}
        for kernel in self.kernels.all:
            constants = kernel.interface.shared()[1]
            label = tables.setdefault(constants, f".L{self.symbol(kernel)}_tables")
            parts.append(
                function(self.symbol(kernel), kernel, self.arguments(kernel), label, self.convention)
            )
        alignment = max(kernel.interface.alignment for kernel in self.kernels.all)
        for constants, label in tables.items():
            if constants:
                lines = [*self.convention.lines("tables", alignment=alignment), f"{label}:"]
                parts.append(written(lines) + _bytes(constants))
        parts.append(written(self.convention.lines("end")))
        return "".join(parts)

    def header(self) -> str:
        """Return the header."""
        return _HEADER.format(
            title=self.title, command=self.command, guard=f"{self.prefix}_h".upper(),
            alignment=self.alignment,
            declarations="\n\n".join([*map(_declared, self.structures), "\n".join(self.declarations())]),
        )  # fmt: skip

    @property
    def alignment(self) -> str:
        """What arrays that C passes must be aligned to."""
        objects = [one for kernel in self.kernels.all for one in kernel.interface.objects]
        most = max(one.alignment for one in objects if one.role in ("parameter", "result"))
        return f"Addresses are multiples of {most} bytes, those of arrays of bytes too."

    def driver(self) -> str:
        """Return the driver's text.

        Raises
        ------
        DescriptionError
            ``M744``: an operation takes or gives more than a key or a block.
        """
        p, setups = self.prefix, self.kernels.setups
        keys = ["keys", "decrypt_keys"][: len(setups)]
        arrays = "key[KEY], " if setups else ""
        alike = [2] * len(setups) + [3 if setups else 2] * len(self.kernels.blocks)
        if [len(self.arguments(kernel)) for kernel in self.kernels.all] != alike:
            raise DescriptionError(
                "M744",
                f"a driver for {self.title} would need more than key and block",
                help="name one operation",
            )
        calls = Calls(
            includes=[f'#include "{p}.h"', ""],
            words=[
                f"_Alignas(16) unsigned char {arrays}in[BLOCK], out[{self.answers.output}];",
                *(f"{one.name} {name};" for one, name in zip(self.structures, keys, strict=True)),
            ],
            setups=[
                f"{self.symbol(one)}({self._cast(one, 0)}key, &{name});"
                for one, name in zip(setups, keys, strict=True)
            ],
            forward=[self._call(self.kernels.forward, keys[:1], "in", "out")],
            backward=[line for one in self.kernels.blocks[1:] for line in self._undo(one, keys[-1:])],
            key="key", block="in", made="out", undone="out" if self.answers.tweaked else "in",
        )  # fmt: skip
        return driver(self.title, p, self.answers, calls)

    def _undo(self, kernel: Kernel, keys: Sequence[str]) -> list[str]:
        """Return the statements that compute from `out` what was in `in`, where the tweak is."""
        if self.answers.tweaked:
            undone = self._call(kernel, keys, "in", "out")
            return ["memcpy(in, out, OUTPUT);", "memset(out, 0, OUTPUT);", undone]
        return ["memset(in, 0, BLOCK);", self._call(kernel, keys, "out", "in")]

    def _call(self, kernel: Kernel, keys: Sequence[str], given: str, made: str) -> str:
        arrays = [f"{self._cast(kernel, len(keys) + n)}{name}" for n, name in enumerate((given, made))]
        return f"{self.symbol(kernel)}({', '.join([*(f'&{name}' for name in keys), *arrays])});"

    def _cast(self, kernel: Kernel, place: int) -> str:
        """Return the cast of an array of bytes to what an argument is, if it is another."""
        declared = self.arguments(kernel)[place].declared
        return "" if "uint8_t" in declared else f"({declared.rpartition(' ')[0]} *)"

    def readme(self) -> str:
        """Return the README."""
        head, program = self.kernels.forward, self.convention.program
        run = ""
        if program:
            run = _RUN.format(
                packages=program.packages, build=program.build.format(name=self.prefix),
                run=program.run.format(name=self.prefix), p=self.prefix, checks=self.answers.checks,
            )  # fmt: skip
        rows = (
            f"| `{self.symbol(one)}` | {one.cycles} | {one.size} | {len(one.interface.shared()[1])} |"
            for one in self.kernels.all
        )
        further = program.files if program else {}
        return _README.format(
            title=self.title, p=self.prefix, contents=self._contents(), command=self.command,
            keys=_KEYS[self.kernels.cipher.keyed], processor=head.processor.name,
            alignment=self.alignment, run=run, convention=self.convention.name,
            source=self.convention.known["source"], functions="\n".join(self.declarations()),
            rows="\n".join(rows),
            files="".join(f"\n| `{name}` | what the program is linked by |" for name in further),
        )  # fmt: skip

    def _contents(self) -> str:
        of_keys = f" for keys of {self.kernels.forward.key_bits} bits" if self.kernels.setups else ""
        return self.answers.operations + of_keys


def _array(k: int, one: Object) -> Argument:
    """Return an argument that is one array."""
    const = "const " if one.role == "parameter" else ""
    name = "".join(c if c.isalnum() else "_" for c in one.name)
    return Argument(f"{const}{element_type(one)} {name}[{length(one)}]", {k: 0})


def _declared(one: Structure) -> str:
    lines = "\n".join(f"    {field.declared()}" for field in one.fields)
    return f"typedef struct {{\n{lines}\n}} {one.name};"


def _bytes(constants: bytes) -> str:
    rows = (constants[k : k + 16] for k in range(0, len(constants), 16))
    return "".join("\t.byte " + ",".join(str(byte) for byte in row) + "\n" for row in rows)
