"""Links of built pages that lead nowhere: to a file that is not there, or to an anchor in it."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page links to, and what can be linked to in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value or "")
            elif name in ("href", "src") and value:
                self.links.append(value)


def dead_links(folder: Path) -> list[str]:
    """["page.html: target", ...]; addresses of other sites are not asked."""
    files = sorted(folder.rglob("*.html"))
    pages = {file.resolve(): Page(file.read_text(encoding="utf-8")) for file in files}
    dead = []
    for file, page in pages.items():
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            anchor = unquote(parts.fragment)
            found = target.is_file()
            if found and anchor and target in pages:
                found = anchor in pages[target].anchors
            if not found:
                dead.append(f"{file.relative_to(folder.resolve())}: {link}")
    return dead
