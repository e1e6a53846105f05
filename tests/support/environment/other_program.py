"""Another program on the desktop, as a browser or a file manager is: ``TEXT LINK``.

TEXT, which may be a file's path, is dragged out of its window with the left mouse button; it says how that goes, and
whether the mouse is over it at all, without which nothing that is pressed arrives. The right button opens LINK
as every Qt program does: ``xdg-open`` gets it, with the desktop's permission for what it starts to come forward.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QDrag, QEnterEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QLabel


class Window(QLabel):
    """Says what it was asked to do."""

    def __init__(self, text: str, link: str) -> None:
        super().__init__("another program")
        self._text, self._link = text, link
        self.setWindowTitle("Another program")

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Say that this window has the focus now, without which no permission for another one can be had."""
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow():
            print("active", flush=True)

    def enterEvent(self, _event: QEnterEvent) -> None:  # noqa: N802
        """Say that there is a mouse now, over this window."""
        print("mouse", flush=True)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Open the link; by then the button has given this window the focus."""
        if event.button() is Qt.MouseButton.RightButton:
            QDesktopServices.openUrl(QUrl(self._link))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Begin to drag."""
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        data = QMimeData()
        if Path(self._text).is_file():
            data.setUrls([QUrl.fromLocalFile(self._text)])
        else:
            data.setText(self._text)
        drag = QDrag(self)
        drag.setMimeData(data)
        drag.actionChanged.connect(_say_action)
        print("dragging", flush=True)
        print("dropped:", drag.exec(Qt.DropAction.CopyAction).name, flush=True)


def _say_action(action: Qt.DropAction) -> None:
    """Say what the program under the mouse would do with what is dragged."""
    print("over:", action.name, flush=True)


def main() -> None:
    """Until it is closed."""
    program = QApplication(sys.argv[:1])
    text, link = sys.argv[1:]
    window = Window(text, link)
    window.resize(400, 400)
    window.show()
    program.exec()


if __name__ == "__main__":
    main()
