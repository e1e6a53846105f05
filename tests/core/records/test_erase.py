"""What is kept of a person can be named, measured and deleted; the keys only if that is wished."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import ErrorKind, UserError
from core.files.folders import Folders, autostart_file, service_unit_file
from core.files.locks import PeerFiles, lock_peer_folder, try_lock
from core.protocol.types import Disclosure
from core.records.erase import ALL_BUT_IDENTITY, CATEGORIES, erase_user_data, list_user_data
from core.records.settings import Settings, load_settings, save_settings
from core.worker.fetch.file_store import FileStore
from tests.support.cli_process import workerbee


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folders:
    """Of a person who has done everything once."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folders = Folders.below(tmp_path / "home")
    data = folders.contents
    for path in (
        folders.settings_file,
        data.history_file,
        data.recent_runs_file,
        folders.logs / "client.log",
        folders.cache / "something",
        FileStore(folders.data).folder("files") / "a-data-set",
        data.engines / "cpu" / "bin" / "python",
        data.reachability_file,
        data.uploads_file,
        data.downloads_file,
        data.peers / "1" / "identity.key",
        data.peers / "1" / "port",
        data.organiser_of("sums") / "identity.key",
        data.organiser_of("sums") / "checkpoint.safetensors",
        data.catalogue_key_file,
        data.catalogues / "a-list.json",
        autostart_file(),
        service_unit_file(),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"1234567890")
    return folders


def files(folder: Path) -> set[str]:
    """What is left below it."""
    return {each.name for each in folder.rglob("*") if each.is_file()}


def test_every_part_is_named_with_its_size_and_none_twice(folders: Folders) -> None:
    found = {each.category: each for each in list_user_data(folders)}
    assert found.keys() == CATEGORIES
    assert sum(each.held_bytes for each in found.values()) == 180
    paths = [path for each in found.values() for path in each.paths]
    assert len(paths) == len(set(paths))


def test_what_runs_have_downloaded_is_named_as_that_and_may_go_alone(folders: Folders, tmp_path: Path) -> None:
    downloads = next(each for each in list_user_data(folders) if each.category == "downloads")
    assert downloads.paths == (folders.contents.fetched,) and downloads.held_bytes == 10
    before = files(tmp_path)
    erase_user_data(folders, {"downloads"})
    assert before - files(tmp_path) == {"a-data-set"}


def test_what_has_just_gone_does_not_count(folders: Folders) -> None:
    history = next(each for each in list_user_data(folders) if each.category == "history")
    before = history.held_bytes
    folders.contents.history_file.unlink()
    assert history.held_bytes == before - 10


def test_all_goes_but_the_keys(folders: Folders, tmp_path: Path) -> None:
    erase_user_data(folders, ALL_BUT_IDENTITY)
    assert files(tmp_path) == {"identity.key", "catalogue.key"}
    assert not folders.settings.exists() and not folders.logs.exists()


def test_the_keys_go_if_that_is_wished(folders: Folders, tmp_path: Path) -> None:
    erase_user_data(folders, CATEGORIES)
    assert files(tmp_path) == set()
    assert not folders.data.exists()


def test_nothing_goes_while_a_worker_lives(folders: Folders, tmp_path: Path) -> None:
    before = files(tmp_path)
    with lock_peer_folder(folders.contents), pytest.raises(UserError) as caught:
        erase_user_data(folders, CATEGORIES)
    assert caught.value.problem is ErrorKind.STILL_RUNNING
    assert before <= files(tmp_path)


def test_nothing_goes_while_the_service_lives_though_a_rule_has_paused_it(folders: Folders, tmp_path: Path) -> None:
    held = try_lock(folders.contents.service_lock)
    before = files(tmp_path)
    assert held is not None
    with held, pytest.raises(UserError, match="`workerbee service remove`") as caught:
        erase_user_data(folders, CATEGORIES)
    assert caught.value.problem is ErrorKind.STILL_RUNNING
    assert before <= files(tmp_path)
    erase_user_data(folders, CATEGORIES)
    assert files(tmp_path) == set()


def test_a_link_is_removed_and_what_it_leads_to_stays(folders: Folders, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine.txt").touch()
    (folders.cache / "link").symlink_to(elsewhere)
    (folders.contents.peers / "link").symlink_to(elsewhere)
    erase_user_data(folders, CATEGORIES)
    assert files(elsewhere) == {"mine.txt"}
    assert not folders.cache.exists()


def test_the_command_names_what_it_deletes_and_asks_first(tmp_path: Path) -> None:
    config = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    log = tmp_path / "home" / "logs" / "client.log"
    log.parent.mkdir(parents=True)
    log.write_bytes(b"x" * 4700)
    asked = workerbee(tmp_path, "reset", **config)
    assert asked.code == 2 and "add --yes" in asked.err
    assert log.exists()
    done = workerbee(tmp_path, "reset", "--yes", **config)
    assert done.code == 0, done.err
    assert "4.7 KB  Logs" in done.out and "keys stay" in done.out
    assert not log.exists()
    assert workerbee(tmp_path, "reset", "--yes", **config).out == "Nothing is kept.\n"


def test_what_a_person_tells_of_themselves_goes_with_the_settings_and_so_does_the_note_that_it_was_told(
    folders: Folders,
) -> None:
    save_settings(folders.settings_file, Settings(public_name="Ada", may_be_named=True, country="DE"))
    told = folders.contents.peers / "1" / "disclosed-sums.json"
    named = PeerFiles(folders.contents.organiser_of("sums")).contributors_file
    for path in (told, named):
        path.write_bytes(b"true")
    erase_user_data(folders, ALL_BUT_IDENTITY)
    assert load_settings(folders.settings_file)[0].disclosure == Disclosure()
    assert load_settings(folders.settings_file)[0] == Settings()
    assert not told.exists() and not named.exists()


def test_the_command_can_delete_downloads_only(tmp_path: Path) -> None:
    folders = Folders.below(tmp_path / "home")
    folders.prepare()
    folders.settings_file.write_text("")
    downloaded = FileStore(folders.data).folder("files") / "a-data-set"
    downloaded.write_bytes(b"x" * 4700)
    done = workerbee(tmp_path, "reset", "--downloads", "--yes")
    assert done.code == 0, done.err
    assert "4.7 KB  Downloaded models and data sets" in done.out and "settings" not in done.out
    assert not downloaded.exists() and folders.settings_file.exists()
