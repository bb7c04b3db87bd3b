"""Files that were made of a cipher, in memory until they are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from cipherassay.api.html import folded


class EmittedFiles(Mapping[str, str]):
    """Texts by file name."""

    def __init__(self, title: str, files: Sequence[tuple[str, str]]) -> None:
        self.title, self._files = title, dict(files)

    def __getitem__(self, name: str) -> str:
        return self._files[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def write(self, folder: str | Path) -> list[Path]:
        """Write the files into a folder, which is made if need be; return their paths.

        Raises
        ------
        OSError
            A file cannot be written.
        """
        made = []
        for name, text in self.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            made.append(path)
        return made

    def _repr_html_(self) -> str:
        files = "".join(
            folded(f"{name} ({len(text.splitlines())} lines)", text) for name, text in self.items()
        )
        return f"<p><strong>{escape(self.title)}</strong></p>{files}"

    def __repr__(self) -> str:
        return f"<EmittedFiles: {', '.join(self)}>"
