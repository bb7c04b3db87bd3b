import tomllib

import pytest

from cipherassay import processors, strategies
from cipherassay.ciphers import load, names
from cipherassay.errors import DescriptionError
from cipherassay.processors import kernel, library


def names_of(file: str) -> set[str]:
    document = tomllib.loads((processors.ISAS / file).read_text())
    return {one["name"] for key in ("instruction", "recipe") for one in document[key]}


def test_every_kept_choice_names_what_exists() -> None:
    files = sorted(library.FOLDER.glob("*.json"))
    assert {file.stem for file in files} <= set(processors.names(infinite=True))
    instructions = names_of("ia64.toml") | names_of("pa-risc.toml") | {"rotl32", "rotr32", "mpy32"}
    kept = [(name, choice) for file in files for name, choice in library.choices(file.stem).items()]
    assert kept
    for name, choice in kept:
        assert name.split()[0] in names()
        assert strategies.load(choice.strategy).for_processors
        assert choice.circuits in kernel.CIRCUITS
        assert set(choice.avoid) <= instructions | {"shrpw", "shrpw.rotate"}


def test_a_kept_choice_is_used_and_kept_again(tmp_path) -> None:
    processor = processors.load("ia64pp")
    made = kernel.make(load("rc6"), "decrypt", processor, kernel.Choice("straight", pointers=1))
    library.keep(made, "unrolled", tmp_path)
    assert library.choices("ia64pp", tmp_path) == {"rc6 decrypt 128 unrolled": made.choice}


def test_a_file_that_holds_no_choices_is_named(tmp_path) -> None:
    path = tmp_path / "ia64pp.json"
    path.write_text('{"rc6 encrypt 128 unrolled": {"strategy": "straight"}}')
    with pytest.raises(DescriptionError) as error:
        library.choices("ia64pp", tmp_path)
    assert str(error.value) == f"error[M330]: `{path}` does not hold choices of kernels: 'avoid'"
