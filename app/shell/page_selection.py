"""Which page belongs to a session; nothing else decides it."""

from __future__ import annotations

from typing import Literal

from core.client.session import Session

PageName = Literal["join", "review", "training", "settings", "engine", "help"]


def page_for(session: Session) -> PageName:
    """Join until the search is over, review until the person agrees, training until it is over for good.

    A run that ended with a problem stays, so that its problem and its curves can be read.
    """
    if session.consent is not None:
        is_over = session.phase in ("idle", "ended") and session.problem is None
        return "join" if is_over else "training"
    is_found = session.phase == "found" and session.is_search_finished
    return "review" if is_found and session.problem is None else "join"
