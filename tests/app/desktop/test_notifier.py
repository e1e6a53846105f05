"""Notifications with buttons, shown by a stand-in for `notify-send` that notes its words and presses a button."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.desktop.notifier import Notifier

PRESSING = """#!/bin/sh
for word in "$@"; do echo "$word" >>"{journal}"; done
echo {key}
"""
WAITING = """#!/bin/sh
echo "$$" >>"{journal}"
exec sleep 600
"""


def program(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`notify-send` of that folder, the only one."""
    path = folder / "notify-send"
    path.write_text(text)
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_the_pressed_button_is_told(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = tmp_path / "journal"
    program(tmp_path, PRESSING.format(journal=journal, key="pause"), monkeypatch)
    notifier = Notifier()
    with qtbot.waitSignal(notifier.pressed, timeout=20_000) as caught:
        assert notifier.show("--title", "Training", {"pause": "Pause for an hour", "quit": "Quit"})
    assert caught.args == ["pause"]
    words = journal.read_text().splitlines()
    assert "--action=pause=Pause for an hour" in words
    assert words[words.index("--") + 1 :] == ["--title", "Training"], "a title is no option, whatever it begins with"
    notifier.close()


def test_nothing_waits_after_the_end_and_only_a_few_at_once(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = tmp_path / "journal"
    program(tmp_path, WAITING.format(journal=journal), monkeypatch)
    notifier = Notifier()
    for number in range(5):
        assert notifier.show(str(number), "", {})
        qtbot.waitUntil(lambda: journal.exists() and len(journal.read_text().split()) == number + 1, timeout=20_000)  # noqa: B023
    alive = [pid for pid in journal.read_text().split() if Path(f"/proc/{pid}").exists()]
    assert len(alive) == 3
    notifier.close()
    qtbot.waitUntil(lambda: not any(Path(f"/proc/{pid}").exists() for pid in alive), timeout=20_000)


def test_a_desktop_without_the_program_has_none(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert not Notifier().show("title", "words", {})
