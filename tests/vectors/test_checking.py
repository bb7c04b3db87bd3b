"""Checking records: what passes, what is found, Monte Carlo chains, the reversed byte order of Serpent's files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cipherassay.errors import DescriptionError, Place
from cipherassay.lang.shapes import Direction
from cipherassay.vectors import Outcome, Record, VectorFile, check_file
from cipherassay.vectors.answers import turned, turned_key
from cipherassay.vectors.backend import MODES, Backend, Mode, exclusive_or
from cipherassay.vectors.monte_carlo import first_start, inputs, run_chain
from support.toy_cipher import Toy

KEY = bytes(range(16))
TEXT = bytes.fromhex("00112233445566778899AABBCCDDEEFF")
VECTOR = bytes(range(100, 116))


@pytest.fixture(autouse=True)
def _short_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Monte Carlo records have 20 steps."""
    monkeypatch.setattr("cipherassay.vectors.monte_carlo.MCT_STEPS", 20)


def check(
    *records: Record, backend: Backend | None = None, chains: bool = False, order: str = "as-is"
) -> Outcome:
    file = VectorFile("v.txt", "records", records)
    return check_file(
        file, backend or Toy(), key_bits=(128, 192, 256), byte_order=order, chains=chains, threads=2
    )


def block(toy: Toy | None = None, key: bytes = KEY, **changes: object) -> Record:
    toy = toy or Toy()
    output = toy.run("encrypt", toy.keys(key, "encrypt"), TEXT)
    record = Record("KAT", "s", 8 * len(key), 1, key, TEXT, output, Place("v.txt", 1))
    return replace(record, **changes)  # type: ignore[arg-type]


def message(kind: str) -> Record:
    toy, vector, output = Toy(), VECTOR, b""
    keys = toy.keys(KEY, "encrypt")
    for part in (TEXT, VECTOR, KEY):
        vector = toy.run("encrypt", keys, exclusive_or(part, vector) if kind == "CBC" else part)
        output += vector
    place = Place("v.txt", 2)
    iv = VECTOR if kind == "CBC" else b""
    return Record(kind, "m", 128, 1, KEY, TEXT + VECTOR + KEY, output, place, iv=iv)  # type: ignore[arg-type]


def chain(mode: Mode, key_bits: int = 128, count: int = 5, toy: Toy | None = None) -> list[Record]:
    records = []
    for index, (start, last) in enumerate(run_chain(toy or Toy(), mode, first_start(mode, key_bits), count)):
        texts = (start.text, last) if mode in ("ecb_e_m", "cbc_e_m") else (last, start.text)
        place = Place("v.txt", 10 + index)
        records.append(Record("MCT", mode, key_bits, index, start.key, *texts, place, iv=start.iv))
    return records


def found(outcome: Outcome) -> list[tuple[int | None, str, str]]:
    return [(f.record.place.line, f.answer.what, f.answer.field) for f in outcome.failures]


def test_every_kind_passes_and_is_counted() -> None:
    toy = Toy()
    hundred, _ = toy.chain(toy.keys(KEY, "encrypt"), "ecb_e_m", b"", TEXT, 100)
    records = [
        block(),
        block(after=((100, hundred),)),
        message("ECB"),
        message("CBC"),
        *chain("cbc_d_m", 192),
    ]
    outcome = check(*records)
    assert outcome.ok
    assert outcome.total == outcome.passed == {"KAT": 2, "ECB": 1, "CBC": 1, "MCT": 5}
    assert outcome.sets == {"s": 2, "m": 2, "cbc_d_m": 5}
    assert outcome.links == 4
    assert outcome.summary() == (
        "2 of 2 single blocks, 5 of 5 Monte Carlo (10,000 steps), 1 of 1 ECB messages, 1 of 1 CBC messages, "
        "4 links from one Monte Carlo record to the next"
    )


def flipped(data: bytes, byte: int = 0) -> bytes:
    return data[:byte] + bytes([data[byte] ^ 1]) + data[byte + 1 :]


def test_a_wrong_ciphertext_is_found_and_the_others_still_counted() -> None:
    outcome = check(block(), block(ciphertext=flipped(block().ciphertext)), block())
    assert found(outcome) == [(1, "encrypt", "CT")]
    assert outcome.passed == {"KAT": 2}
    answer = outcome.failures[0].answer
    assert (answer.got, answer.expected) == (block().ciphertext, flipped(block().ciphertext))


class WrongDecryption(Toy):
    def run(self, direction: Direction, keys: object, blocks: bytes) -> bytes:
        return bytes(len(blocks)) if direction == "decrypt" else super().run(direction, keys, blocks)


def test_both_directions_are_checked() -> None:
    assert found(check(block(), message("ECB"), message("CBC"), backend=WrongDecryption())) == [
        (1, "decrypt", "PT"),
        (2, "decrypt", "PT"),
        (2, "decrypt", "PT"),
    ]


def test_iterated_encryption_is_checked() -> None:
    assert found(check(block(after=((1000, TEXT),)))) == [(1, "encrypt 1,000 times", "IT1000")]


@pytest.mark.parametrize("kind", ["ECB", "CBC"])
@pytest.mark.parametrize("byte", [0, 20, 47])
def test_every_block_of_a_message_is_checked(kind: str, byte: int) -> None:
    record = message(kind)
    wrong = replace(record, ciphertext=flipped(record.ciphertext, byte))
    assert found(check(wrong)) == [(2, "encrypt", "CT")]


def test_the_vector_of_a_message_is_used() -> None:
    assert found(check(replace(message("CBC"), iv=KEY))) == [(2, "encrypt", "CT")]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_a_record_stands_alone(mode: Mode, key_bits: int) -> None:
    records = chain(mode, key_bits)
    assert check(records[3]).ok
    field = "ciphertext" if mode in ("ecb_e_m", "cbc_e_m") else "plaintext"
    wrong = replace(records[3], **{field: flipped(getattr(records[3], field))})  # type: ignore[arg-type]
    assert found(check(wrong)) == [(13, f"Monte Carlo {mode}", "CT" if field == "ciphertext" else "PT")]


@pytest.mark.parametrize("mode", MODES)
def test_a_record_must_follow_from_the_one_before(mode: Mode) -> None:
    """A record that is right by itself and out of place."""
    records = chain(mode, 256)
    assert found(check(records[1], replace(records[3], index=2))) == [
        (13, "what follows from the record before", "KEY")
    ]
    if mode.startswith("cbc"):
        other = replace(records[2], iv=VECTOR)
        assert (12, "what follows from the record before", "IV") in found(check(records[1], other))


def test_chains_bridge_the_records_that_a_file_leaves_out() -> None:
    records = chain("ecb_e_m", 192)
    some = [records[0], records[2], records[4]]
    assert check(*some).links == 0
    assert check(*some, chains=True).links == 2
    moved = [records[0], replace(records[2], index=1), records[4]]
    assert found(check(*moved)) == [(12, "what follows from the record before", "KEY")]
    assert found(check(*moved, chains=True))[0] == (12, "what follows from the record before", "KEY")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_the_key_change_of_reversed_files(mode: Mode, key_bits: int) -> None:
    """Where strings are printed reversed, the outputs are joined the other way round: O9999 before O9998."""
    toy = Toy()
    records = [_reversed(record) for record in chain(mode, key_bits, toy=toy)]
    assert check(*records, order="reversed").links == 4
    if key_bits > 128 and mode == "ecb_e_m":
        first, second = records[0], records[1]
        start = first_start(mode, key_bits)
        last, before = toy.chain(toy.keys(start.key, "encrypt"), mode, b"", start.text, 20)
        joined = last[::-1] + before[::-1][: key_bits // 8 - 16]
        assert second.key == exclusive_or(first.key, joined)


def _reversed(record: Record) -> Record:
    return replace(
        record,
        key=turned_key(record.key),
        plaintext=turned(record.plaintext),
        ciphertext=turned(record.ciphertext),
        iv=turned(record.iv),
        convention="nist",
    )


def test_each_convention_has_its_order() -> None:
    plain, other = block(convention="nessie"), _reversed(block())
    assert check(plain, other, order="reversed").ok
    assert found(check(plain, other)) == [(1, "encrypt", "CT")]
    wrong = replace(other, ciphertext=flipped(other.ciphertext))
    outcome = check(wrong, order="reversed")
    assert outcome.failures[0].answer.got == other.ciphertext, "an answer is given in the order of the file"


def test_a_key_size_that_the_cipher_lacks(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError) as caught:
        check(block(), block(key=bytes(20)))
    assert str(caught.value) == (
        "error[K011]: the cipher has no key of 160 bits\n  --> v.txt:1\n   = expected one of 128, 192, 256"
    )


@pytest.mark.parametrize("mode", MODES)
def test_a_chain_does_what_nist_prints(mode: Mode) -> None:
    """The loops, written out a second time from their definition."""
    toy = Toy()
    keys, block_, vector, outputs, given = toy.keys(KEY, "encrypt"), TEXT, VECTOR, [], []
    for _ in range(7):
        if mode == "ecb_e_m":
            given.append(block_)
            block_ = toy.run("encrypt", keys, block_)
            outputs.append(block_)
        elif mode == "ecb_d_m":
            given.append(block_)
            block_ = toy.run("decrypt", keys, block_)
            outputs.append(block_)
        elif mode == "cbc_e_m":
            given.append(exclusive_or(block_, vector))
            ciphertext = toy.run("encrypt", keys, exclusive_or(block_, vector))
            block_, vector = vector, ciphertext
            outputs.append(ciphertext)
        else:
            given.append(block_)
            plaintext = exclusive_or(toy.run("decrypt", keys, block_), vector)
            vector, block_ = block_, plaintext
            outputs.append(plaintext)
    iv = VECTOR if mode.startswith("cbc") else b""
    assert toy.chain(keys, mode, iv, TEXT, 7) == (outputs[-1], outputs[-2])
    start = replace(first_start(mode, 128), key=KEY, iv=iv, text=TEXT)
    assert list(inputs(toy, mode, start, 7)) == given
