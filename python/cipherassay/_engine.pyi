"""The engine: programs, their evaluation, passes and source code."""

from typing import TypedDict, final

class FunctionSignature(TypedDict):
    """Name, parameters (name and type) and result types of a function."""

    name: str
    params: list[tuple[str, str]]
    results: list[str]

@final
class Program:
    """A compiled cipher (for one key size), or any set of functions; never changes."""

    @staticmethod
    def parse(text: str) -> Program:
        """Read the text form and verify it; raises DescriptionError, P001 to P004 or P101 to P120."""

    def text(self) -> str:
        """Return the text form."""

    @property
    def name(self) -> str: ...
    @property
    def meta(self) -> dict[str, str]: ...
    def functions(self) -> list[FunctionSignature]:
        """Describe every function, in order."""
