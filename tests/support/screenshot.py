"""What is on the screen, as a picture, without a program that Debian would have to bring.

python -m tests.support.screenshot FILE [WINDOW]
"""

from __future__ import annotations

import sys

from PySide6.QtGui import QGuiApplication


def main(path: str, window: str = "0") -> int:
    """Save the screen, or the window with that number."""
    application = QGuiApplication(["screenshot"])
    picture = application.primaryScreen().grabWindow(int(window))
    return 0 if picture.save(path) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
