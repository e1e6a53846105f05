"""Commands from a terminal or from the desktop's menu to the open window."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, QTimer, Signal

from app.controllers.session_controller import SessionController
from core.control.messages import ControlCommand, ControlReply
from core.texts.run_order import status_with_run


class RemoteControl(QObject):
    """Does what a command asks, and answers with the session's state.

    Signals:
        quit_requested: the program shall end.
    """

    quit_requested = Signal()

    def __init__(self, session_controller: SessionController, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session_controller = session_controller

    def answer(self, command: ControlCommand) -> ControlReply:
        """Carry out the command, and return the state after it."""
        is_done = self._do(command)
        controller = self._session_controller
        session = controller.session
        return ControlReply(
            is_done=is_done,
            phase=session.phase,
            sentence=status_with_run(session, controller.timestamps, time.time())[:2000],
            run=session.consent.run_id if session.consent else "",
        )

    def _do(self, command: ControlCommand) -> bool:
        """Whether the command suits the session; what does not suit changes nothing."""
        controller, session = self._session_controller, self._session_controller.session
        match command.action:
            case "pause":
                can_pause = controller.is_at_work or session.phase == "paused"
                if can_pause:
                    controller.pause(command.seconds)
                return can_pause
            case "resume":
                can_resume = session.phase == "paused"
                if can_resume:
                    controller.resume()
                return can_resume
            case "quit":
                QTimer.singleShot(0, self, self.quit_requested.emit)
        return True
