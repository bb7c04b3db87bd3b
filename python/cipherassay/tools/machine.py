"""The machine that this runs on."""

from __future__ import annotations

import platform
from functools import cache
from pathlib import Path

_ZEN = {0x17: "Zen or Zen 2", 0x19: "Zen 3", 0x1A: "Zen 5"}
_ZEN_4_MODELS = (range(0x10, 0x20), range(0x60, 0x80), range(0xA0, 0xB0))


@cache
def machine_name() -> str:
    """Return the processor's name: the system's, with the microarchitecture where it is known."""
    fields = _processor_fields()
    name = fields.get("model name") or platform.processor() or platform.machine()
    if fields.get("vendor_id") == "AuthenticAMD":
        family, model = int(fields.get("cpu family", 0)), int(fields.get("model", 0))
        zen4 = family == 0x19 and any(model in models for models in _ZEN_4_MODELS)
        core = "Zen 4" if zen4 else _ZEN.get(family, "")
        return f"{name} ({core})" if core else name
    return name


def _processor_fields() -> dict[str, str]:
    try:
        text = Path("/proc/cpuinfo").read_text().split("\n\n")[0]
    except OSError:
        return {}
    pairs = (line.split(":", 1) for line in text.splitlines() if ":" in line)
    return {key.strip(): value.strip() for key, value in pairs}
