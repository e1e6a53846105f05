"""The lines of a menu that pause for some time."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

translate = QCoreApplication.translate  # lupdate knows it by this name only

_LENGTHS_SECONDS = (1800.0, 3600.0, 10800.0, None)


class PauseMenu:
    """The lines of a menu that pause; ``request`` is given the seconds, or ``None`` for until the person resumes."""

    def __init__(self, menu: QMenu, request: Callable[[float | None], None]) -> None:
        self._actions = [_action(menu, request, seconds) for seconds in _LENGTHS_SECONDS]
        self.retranslate(is_paused=False)

    def retranslate(self, *, is_paused: bool) -> None:
        """In the person's language; a pause that is running can be given another end."""
        for action, words in zip(self._actions, _from_now() if is_paused else _lengths(), strict=True):
            action.setText(words)


def _action(menu: QMenu, request: Callable[[float | None], None], seconds: float | None) -> QAction:
    action = menu.addAction("")
    action.triggered.connect(lambda: request(seconds))
    return action


def _lengths() -> tuple[str, ...]:
    return (
        translate("Snooze", "Pause for 30 minutes"),
        translate("Snooze", "Pause for 1 hour"),
        translate("Snooze", "Pause for 3 hours"),
        translate("Snooze", "Pause until I resume"),
    )


def _from_now() -> tuple[str, ...]:
    return (
        translate("Snooze", "Pause for 30 minutes from now"),
        translate("Snooze", "Pause for 1 hour from now"),
        translate("Snooze", "Pause for 3 hours from now"),
        translate("Snooze", "Pause until I resume"),
    )
