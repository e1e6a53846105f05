"""Commands from a terminal or from the desktop's menu to the open window."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from app.controllers.devices.device_sessions import DeviceSessions
from app.controllers.devices.sentences import status_sentences
from core.control.messages import ControlCommand, ControlReply


class RemoteControl(QObject):
    """Does what a command asks, and answers with the session's state.

    Signals:
        quit_requested: the program shall end.
    """

    quit_requested = Signal()

    def __init__(self, sessions: DeviceSessions, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sessions = sessions

    def answer(self, command: ControlCommand) -> ControlReply:
        """Carry out the command, and return the state after it."""
        is_done = self._do(command)
        session = self._sessions.foremost.session
        return ControlReply(
            is_done=is_done,
            phase=session.phase,
            sentence="; ".join(status_sentences(self._sessions))[:2000],
            run=session.consent.run_id if session.consent else "",
        )

    def _do(self, command: ControlCommand) -> bool:
        """Whether the command suits the session; what does not suit changes nothing."""
        sessions = self._sessions
        match command.action:
            case "pause":
                can_pause = sessions.is_at_work or sessions.is_paused
                if can_pause:
                    sessions.pause(command.seconds)
                return can_pause
            case "resume":
                can_resume = sessions.is_paused
                if can_resume:
                    sessions.resume()
                return can_resume
            case "quit":
                QTimer.singleShot(0, self, self.quit_requested.emit)
        return True
