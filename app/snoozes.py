"""For how long a person may want the computer back."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate  # lupdate knows it by this name only


def snoozes() -> tuple[tuple[float | None, str], ...]:
    """Seconds and the words for them, in the person's language; ``None`` is until they resume."""
    return (
        (1800.0, translate("Snooze", "For 30 minutes")),
        (3600.0, translate("Snooze", "For 1 hour")),
        (10800.0, translate("Snooze", "For 3 hours")),
        (None, translate("Snooze", "Until I resume")),
    )
