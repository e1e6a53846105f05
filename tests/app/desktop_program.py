"""The window with a fake worker, as a program of its own, for a real desktop; ``--train`` starts a run.

    python -m tests.app.desktop_program JOURNAL [--train]

It prints a line for each new phase of the session, and one once it has an icon in the tray.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QTimer

from app.application import Application
from app.choices import Choices
from app.front import Front
from app.handover import Handover
from app.language import Language
from app.start import make_qt
from app.theme import Theme
from core.address import JoinAddress
from core.folders import Folders
from core.session import Session
from tests import fake_worker

ADDRESS = JoinAddress(peers=("/ip4/127.0.0.1/tcp/1/p2p/12D3KooWx",))


def main() -> None:
    """Until the person quits."""
    journal, wants_training = sys.argv[1], "--train" in sys.argv
    qt = make_qt()
    folders = Folders.below(Path(journal).parent / "home")
    command = [sys.executable, fake_worker.__file__, journal, "good"]
    theme = Theme(qt)
    theme.choose("light")
    front = Front(folders, Choices(folders.settings_file), theme, Language(qt))
    front.open()
    application = Application(front, worker_command=command)
    watch = QTimer(application, interval=50)
    told: set[str] = set()

    def look() -> None:
        if application.presence.tray.is_there:
            tell("tray")
        if wants_training and application.helm.devices and application.helm.session.phase == "idle":
            application.helm.join(ADDRESS)

    def tell(word: str) -> None:
        if word not in told:
            told.add(word)
            print(word, flush=True)

    def follow(before: Session, after: Session) -> None:
        if after.phase != before.phase:
            print(after.phase, flush=True)
        if after.is_search_finished and after.phase == "found":
            application.helm.start(after.runs[0])

    application.helm.changed.connect(follow)
    watch.timeout.connect(look)
    watch.start()
    application.finished.connect(lambda: qt.exit(0))
    application.open(Handover())
    qt.exec()
    application.close()
    print("closed", flush=True)


if __name__ == "__main__":
    main()
