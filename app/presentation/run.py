"""What only the window says about a run: its web page, as a link that is safe to open."""

from __future__ import annotations

from app.desktop.external_link import web_link
from core.protocol.events import RunFound
from core.security.sanitize import sanitize_line
from core.texts import run as run_texts


def homepage_of(run: RunFound) -> str:
    """Return the organiser's link if it is an ordinary one to the web, with nothing disguised in it."""
    return web_link(sanitize_line(run.manifest.run.homepage, 200), ("https", "http"))


def facts_of(run: RunFound) -> list[tuple[str, str]]:
    """Return what else the manifest says, name by name, with a web page that can be opened."""
    return run_texts.facts_of(run, homepage_of(run))
