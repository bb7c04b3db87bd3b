"""The console that results are printed to; the library behind it is slow to load."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from cipherassay.console.lines import hanging


class LineConsole(Console):
    """A console that wraps texts at words, on a terminal and elsewhere, unless ``soft_wrap``."""

    def print(self, *objects: Any, **settings: Any) -> None:
        """Print as `Console.print` does."""
        if len(objects) == 1 and isinstance(objects[0], str) and not settings.get("soft_wrap"):
            objects = ("\n".join(hanging(objects[0], self.width)),)
        super().print(*objects, **{**settings, "soft_wrap": True})
