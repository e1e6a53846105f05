"""A volunteer's consent, as a front end makes it of the run that was shown."""

from __future__ import annotations

from typing import Any

from core.protocol.commands import Start
from core.protocol.events import RunFound
from core.run.consent import consent_digest

NO_DIGEST = "0" * 64  # of no manifest; where no run is found that could be compared with it


def consent_to(run: RunFound, **wishes: Any) -> Start:
    """The command that trains in the run as it was found; on one core, unless something else is wished."""
    asked: dict[str, Any] = {"run_id": run.manifest.run.id, "organiser": run.organiser, "device": "cpu", "threads": 1}
    return Start(digest=consent_digest(run.manifest), **(asked | wishes))
