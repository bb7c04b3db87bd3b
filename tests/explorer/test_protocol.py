from __future__ import annotations

import json
from typing import Any

import pytest

from cipherassay.errors import UsageError
from cipherassay.explorer import protocol
from support.explorer import request


def read(**changed: Any) -> protocol.RunRequest:
    return protocol.read(json.dumps(request("text", **changed)).encode())


def test_a_request_is_read() -> None:
    options = {"key_bits": "128", "assembly.processor": "a"}
    found = read(panels=["c", "rtl", "c"], targets=["avr"], options=options, origin="file.0.mine")
    assert found == protocol.RunRequest("tab", "mine", "text", "file.0.mine", ("c", "rtl"), ("avr",), options)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"{", "the body is not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        (b"\xff", "the body is not JSON: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
        (b"[]", "the body is no object"),
    ],
)  # fmt: skip
def test_what_is_no_request(body: bytes, why: str) -> None:
    with pytest.raises(UsageError) as raised:
        protocol.read(body)
    assert str(raised.value) == (
        f"error[W001]: the request cannot be read: {why}\n   = help: reload the page"
    )


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"text": 1}, "`text` is no text"),
        ({"stem": "../up"}, "`stem` is no name"),
        ({"stem": "a.b"}, "`stem` is no name"),
        ({"stem": ""}, "`stem` is no name"),
        ({"tab": "a b"}, "`tab` is no name"),
        ({"origin": "/etc/passwd"}, "`origin` is no name"),
        ({"panels": "c"}, "`panels` is no list of at most 64 names"),
        ({"panels": ["c"] * 65}, "`panels` is no list of at most 64 names"),
        ({"targets": [1]}, "`targets` has what is no name"),
        ({"options": []}, "`options` is no object of at most 64 values"),
        ({"options": {"a": 1}}, "`options` has what is no name or no text"),
        ({"options": {"a": "x" * 65}}, "`options` has what is no name or no text"),
    ],
)
def test_fields_are_checked(changed: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError) as raised:
        read(**changed)
    assert (raised.value.code, raised.value.message) == ("W001", f"the request cannot be read: {why}")


def test_a_description_that_is_too_long() -> None:
    read(text="x" * protocol.MOST_TEXT)
    with pytest.raises(UsageError) as raised:
        read(text="é" * (protocol.MOST_TEXT // 2 + 1))
    assert str(raised.value) == (
        "error[W002]: the description has more than 256 KiB\n   = help: `assay check FILE` takes longer ones"
    )


def test_deeply_nested_json_is_refused() -> None:
    with pytest.raises(UsageError, match="W001"):
        protocol.read(b"[" * 100_000)
