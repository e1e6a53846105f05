"""The window as `python -m app` opens it, except that its settings can be changed from outside.

    python -m tests.obedient_window

Each line of its standard input is a JSON object of settings; “obeyed” is printed once they have been drawn.
"""

from __future__ import annotations

import json
import os
import sys

from PySide6.QtCore import QSocketNotifier, QTimer

from app.application import Application
from app.choices import Choices
from app.handover import Handover
from app.language import Language
from app.start import make_qt
from app.theme import Theme
from core.folders import Folders

_DRAWN_MILLISECONDS = 1500  # whatever is said anew once a second has been said


def main() -> int:
    """Until somebody quits."""
    qt = make_qt()
    folders = Folders.default()
    choices, language, theme = Choices(folders.settings_file), Language(qt), Theme(qt)
    language.choose(choices.settings.language)
    theme.choose(choices.settings.theme)
    application = Application(folders, choices, theme, language)
    orders = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read, application)

    def obey() -> None:
        for line in os.read(sys.stdin.fileno(), 65536).splitlines():
            choices.replace(**json.loads(line))
            QTimer.singleShot(_DRAWN_MILLISECONDS, lambda: print("obeyed", flush=True))

    orders.activated.connect(obey)
    application.finished.connect(lambda: qt.exit(0))
    application.open(Handover())
    code = qt.exec()
    application.close()
    return code


if __name__ == "__main__":
    sys.exit(main())
