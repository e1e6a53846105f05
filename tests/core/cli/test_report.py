"""`workerbee report` shows a report, asks, and saves it for its owner alone; nothing leaves the computer."""

from __future__ import annotations

from pathlib import Path

from tests.support.cli_process import workerbee


def test_a_report_is_saved_for_its_owner_and_never_over_another_file(tmp_path: Path) -> None:
    done = workerbee(tmp_path, "report", "--to", "report.txt", "--yes")
    assert done.code == 0 and "Nothing was sent" in done.out, done
    saved = tmp_path / "report.txt"
    text = saved.read_text()
    assert "== What doctor finds ==" in text and "good: Python: " in text and str(tmp_path) not in text
    events = text.partition("== The last events ==\n")[2].partition("\n\n")[0]
    assert "CPU: " in text and " The engine has started, version " in events
    assert saved.stat().st_mode & 0o077 == 0
    again = workerbee(tmp_path, "report", "--to", "report.txt", "--yes")
    assert again.code == 2 and "is there already" in again.err
    assert saved.read_text() == text


def test_without_a_terminal_it_is_shown_and_not_saved(tmp_path: Path) -> None:
    done = workerbee(tmp_path, "report")
    assert "== Settings ==" in done.out and "add --yes" in done.err
    assert not list(tmp_path.glob("*.txt"))


def test_a_folder_that_is_not_there_is_said_in_words(tmp_path: Path) -> None:
    done = workerbee(tmp_path, "report", "--to", "nowhere/report.txt", "--yes")
    assert done.code != 0 and "nowhere" in done.err and "Traceback" not in done.err
