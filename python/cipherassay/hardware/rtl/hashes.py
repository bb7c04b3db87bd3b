"""The hash of a device's Verilog, by which results say what they are of."""

from __future__ import annotations

import re

from cipherassay.hardware.rtl.build import Device
from cipherassay.jobs.digests import text_digest

_COMMENT = re.compile(r"[ \t]*//.*")


def verilog_hash(device: Device) -> str:
    """Return the hash of a device's Verilog without its comments.

    They have the places in the description, and a line that moves there makes no other device.
    """
    files = sorted(device.verilog.items())
    return text_digest("".join(f"{name}\n{_COMMENT.sub('', text)}" for name, text in files))
