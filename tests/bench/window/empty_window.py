"""The least that PySide6 can show: an empty window, as large as ours is at first."""

from __future__ import annotations

import sys

from PySide6.QtWidgets import QApplication, QMainWindow

SIZE = (980, 720)


def main() -> int:
    """Until it is killed."""
    qt = QApplication(sys.argv)
    window = QMainWindow()
    window.resize(*SIZE)
    window.show()
    return qt.exec()


if __name__ == "__main__":
    sys.exit(main())
