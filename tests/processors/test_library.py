import tomllib
from pathlib import Path

import pytest

from cipherassay import keeping, processors, strategies
from cipherassay.ciphers import load, of_papers
from cipherassay.errors import DescriptionError
from cipherassay.processors import exploring, kernel, library, making


def names_of(file: str) -> set[str]:
    document = tomllib.loads((processors.ISAS / file).read_text())
    return {one["name"] for key in ("instruction", "recipe") for one in document[key]}


def test_every_kept_choice_names_what_exists() -> None:
    assert set(library.processors()) <= set(processors.names(infinite=True))
    instructions = names_of("ia64.toml") | names_of("pa-risc.toml") | {"rotl32", "rotr32", "mpy32"}
    kept = [(name, choice) for one in library.processors() for name, choice in library.choices(one).items()]
    assert kept
    for name, choice in kept:
        assert name.split()[0] in of_papers()
        assert strategies.load(choice.strategy).for_processors
        assert choice.circuits in exploring.CIRCUITS
        assert set(choice.avoid) <= instructions | {"shrpw", "shrpw.rotate"}


def test_a_kept_choice_is_used_and_kept_again(own_kept: Path) -> None:
    processor = processors.load("ia64pp")
    made = making.make(load("rc6"), "decrypt", processor, kernel.Choice("straight", pointers=1))
    library.keep(made, "unrolled")
    assert library.choices("ia64pp") == {"rc6 decrypt 128 unrolled": made.choice}


def test_a_file_that_holds_no_choices_is_named(own_kept: Path) -> None:
    path = keeping.write(
        "kernels", "ia64pp.json", '{"schema": 1, "choices": {"rc6 encrypt 128 unrolled": {}}}'
    )
    with pytest.raises(DescriptionError) as error:
        library.choices("ia64pp")
    assert str(error.value) == (
        "error[A001]: `kept/kernels/ia64pp.json` is damaged\n"
        f"  --> {path}\n"
        "   = there is no field 'avoid'\n"
        "   = help: `assay verify kept kernels --prune` removes it; what it held is computed anew when needed"
    )
