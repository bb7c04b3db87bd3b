"""Hooks of MkDocs: the pages that are not files of docs/, and links between documents.

The site's home is README.md, `project/` has the documents of the repository's root, `reference/` is written
from the code when the site is built. Links are written as the repository needs them; here they lead to the
site's page, or to the file in the repository where the site has no page of it.
"""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from scripts.documents import commands, pages  # noqa: E402 - found by the line above

OF_ROOT = {
    "index.md": "README.md",
    "project/architecture.md": "ARCHITECTURE.md",
    "project/contributing.md": "CONTRIBUTING.md",
    "project/changelog.md": "CHANGELOG.md",
    "project/security.md": "SECURITY.md",
}
"""Pages of the site that are documents of the repository's root."""
LINK = re.compile(r"(\]\(|\ssrc=\"|\shref=\")(?!\w+:|#|/)([^)\s#\"]+)(#[^)\s\"]*)?")
FENCED = re.compile(r"^(```.*?^```$)", re.S | re.M)


def on_config(config: Any) -> Any:
    """Put a page for each verb into the navigation."""
    for group in config.nav:
        for at, entry in enumerate(group.get("Reference", ())):
            if entry == {"The command": "reference/command"}:
                group["Reference"][at] = {"The command": [path for path, _ in commands.pages()]}
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made here."""
    made = {path: (ROOT / name).read_text(encoding="utf-8") for path, name in OF_ROOT.items()}
    for path, text in [*made.items(), *commands.pages(), *pages.pages()]:
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    """Let the links of a document lead to the site's pages, or to the repository's files."""
    here = page.file.src_uri
    origin = OF_ROOT.get(here, f"docs/{here}")
    tree = f"{config['extra']['repository']}/blob/main/"

    def followed(found: re.Match[str]) -> str:
        before, target, anchor = found[1], found[2], found[3] or ""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(origin), target))
        there = {name: at for at, name in OF_ROOT.items()}.get(path, path.removeprefix("docs/"))
        if files.get_file_from_path(there) is not None:
            return f"{before}{posixpath.relpath(there, posixpath.dirname(here) or '.')}{anchor}"
        return f"{before}{tree}{path}{anchor}" if (ROOT / path).exists() else found[0]

    parts = FENCED.split(markdown)
    return "".join(part if part.startswith("```") else LINK.sub(followed, part) for part in parts)


def on_post_build(config: Any) -> None:
    """Remove what only a server has a use for: its links lead to the root of a site."""
    for name in ("404.html", "sitemap.xml", "sitemap.xml.gz"):
        (Path(config.site_dir) / name).unlink(missing_ok=True)
