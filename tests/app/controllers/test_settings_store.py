"""The settings that the window changes, beside somebody who edits their file."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from app.controllers.settings_store import SettingsStore
from core.availability.rules import AvailabilityRules
from core.errors import ErrorKind
from core.records import settings as records
from core.records.settings import Settings, load_settings, save_settings


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """That of a file which has settings."""
    save_settings(tmp_path / "settings.toml", Settings(threads=3))
    return tmp_path / "settings.toml"


def in_file(path: Path) -> Settings:
    """What the next program reads."""
    return load_settings(path)[0]


def test_a_change_in_the_window_takes_over_what_was_edited_in_the_file(path: Path) -> None:
    store, told = SettingsStore(path), list[tuple[Settings, Settings]]()
    store.changed.connect(lambda before, after: told.append((before, after)))
    edited = AvailabilityRules(gpu_celsius=75, gpu_share=None)
    save_settings(path, Settings(availability=edited))
    store.replace(graph_period="6h")
    assert store.settings == in_file(path) == Settings(graph_period="6h", availability=edited)
    assert told == [(Settings(threads=3), store.settings)]


def test_of_the_rules_each_stays_as_it_was_changed_last(path: Path) -> None:
    store = SettingsStore(path)
    store.replace(availability=AvailabilityRules(films=True))
    save_settings(path, Settings(availability=AvailabilityRules(films=True, games=False, battery=False)))
    store.replace(availability=AvailabilityRules(films=True, battery=True, idle_minutes=5))
    assert in_file(path) == Settings(
        availability=AvailabilityRules(films=True, games=False, battery=False, idle_minutes=5)
    )


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_text("threads =")], ids=["gone", "damaged"])
def test_a_file_that_cannot_be_read_undoes_no_earlier_change(path: Path, spoil: Callable[[Path], object]) -> None:
    store = SettingsStore(path)
    store.replace(public_name="Ann")
    store.replace(network="client")
    spoil(path)
    store.replace(graph_period="6h")
    assert (store.settings.public_name, store.settings.network) == ("Ann", "client")


def test_what_could_not_be_written_is_written_with_the_next_change(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SettingsStore(path)

    def refuse(_path: Path, _content: bytes) -> None:
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patched:
        patched.setattr(records, "write_atomically", refuse)
        store.replace(threads=4)
    assert store.error is not None and store.error.problem is ErrorKind.DISK_FULL
    save_settings(path, Settings(threads=3, device="cpu"))
    store.replace(theme="dark")
    assert store.settings == in_file(path) == Settings(threads=4, device="cpu", theme="dark")
