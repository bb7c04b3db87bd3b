"""Assembly of code within a budget of RAM before it is written: functions, objects, tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cipherassay.embedded.lines import Tables

if TYPE_CHECKING:
    from cipherassay._engine import MachineFunction

WORK, VALUES = "work", "values"
"""The objects of values that found no register, and of what is kept between inner functions."""


@dataclass
class Text:
    """Functions by name, in order; bytes of objects in RAM; tables that are read.

    ``inside`` says of an object in the bytes of which other one it lies.
    """

    functions: dict[str, MachineFunction] = field(default_factory=dict)
    objects: dict[str, int] = field(default_factory=dict)
    tables: Tables = field(default_factory=dict)
    inside: dict[str, str] = field(default_factory=dict)

    def object(self, name: str, size: int) -> str:
        """Note an object of at least a size."""
        whole = self.inside.get(name, name)
        self.objects[whole] = max(size, self.objects.get(whole, 0))
        return name

    def labels(self, name: str) -> list[str]:
        """Return an object and those in its bytes."""
        return [name, *(other for other, whole in self.inside.items() if whole == name)]

    def joined(self, other: Text) -> Text:
        """Return both texts as one; what has the same name is the same."""
        objects = dict(self.objects)
        for name, size in other.objects.items():
            objects[name] = max(size, objects.get(name, 0))
        return Text(self.functions | other.functions, objects, self.tables | other.tables)
