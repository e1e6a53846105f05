"""The volunteer's choices survive, and a broken file costs nothing but itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.availability.rules import LIMITS, AvailabilityRules
from core.errors import ErrorKind, UserError
from core.records.settings import LatestSettings, Settings, load_settings, save_settings
from tests.core.availability.strategies import AVAILABILITY_RULES

EVERYTHING = Settings(
    device="cuda:1",
    threads=4,
    network="client",
    port=31337,
    public_name="Anna's attic",
    may_be_named=True,
    country="DE",
    data_folder="/somewhere/with space/bees",
    disk_limit_bytes=20_000_000_000,
    start_at_login=True,
    start_minimised=True,
    close_to_tray=False,
    is_tray_explained=True,
    notifications=False,
    update_check=False,
    update_address="https://example.org/latest.json",
    update_publisher="12D3KooWM9FVLymCDe7hjiJBRBgGVMaJMVAsbPX9rZ4xwYHNrpwR",
    theme="dark",
    language="de",
    graph_period="24h",
    graph_curves=("loss", "my_rate"),
    availability=AvailabilityRules(battery=False, gpu_share=None, programs=("blender",), idle_minutes=5),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "settings" / "settings.toml"


def test_without_a_file_there_are_the_defaults(path: Path) -> None:
    assert load_settings(path) == (Settings(), None)


@pytest.mark.parametrize("settings", [Settings(), EVERYTHING, Settings(device="GPU-1a2b-3c")])
def test_what_was_saved_is_loaded(path: Path, settings: Settings) -> None:
    save_settings(path, settings)
    assert load_settings(path) == (settings, None)


@given(AVAILABILITY_RULES, st.sampled_from(["/prices.csv", None]))
def test_rules_of_availability_are_a_table_that_is_loaded_as_it_was_saved(
    tmp_path_factory: pytest.TempPathFactory, rules: AvailabilityRules, price_file: str | None
) -> None:
    path = tmp_path_factory.getbasetemp() / "rules" / "settings.toml"
    settings = Settings(availability=msgspec.structs.replace(rules, price_file=price_file))
    save_settings(path, settings)
    assert load_settings(path) == (settings, None)


def test_a_table_in_which_all_is_default_is_not_written(path: Path) -> None:
    save_settings(path, Settings(availability=AvailabilityRules(gpu_share=0.2)))
    assert "availability" not in path.read_text()


def test_a_limit_that_was_taken_away_is_false_in_the_file(path: Path) -> None:
    save_settings(path, Settings(availability=AvailabilityRules(gpu_share=None, memory_pressure=None)))
    assert "[availability]\ngpu_share = false\nmemory_pressure = false\n" in path.read_text()


def test_every_limit_that_is_there_by_default_can_be_taken_away() -> None:
    rules = AvailabilityRules()
    optional = {field.name for field in msgspec.structs.fields(rules) if type(None) in get_args(field.type)}
    assert {name for name in optional if getattr(rules, name) is not None} == LIMITS


def test_the_file_is_for_people(path: Path) -> None:
    save_settings(path, EVERYTHING)
    assert 'device = "cuda:1"\nthreads = 4\n' in path.read_text()


def test_a_file_from_before_the_window_is_still_read(path: Path) -> None:
    path.parent.mkdir()
    path.write_text('device = "cuda:1"\nthreads = 4\nnetwork = "client"\nport = 31337\n')
    older = Settings(device="cuda:1", threads=4, network="client", port=31337)
    assert load_settings(path) == (older, None)


BROKEN = {
    "truncated": b'device = "cu',
    "no toml": b"{]",
    "no text": b"\xff\xfe\x00",
    "nested without end": b"a = " + b"[" * 60_000,
    "a typo": b"devise = 'cpu'",
    "an unknown device": b"device = 'tpu'",
    "a device and more": b'device = "cpu\\n"',
    "too many threads": b"threads = 100000",
    "a wrong type": b"threads = '4'",
    "a port that is none": b"port = 0",
    "a name without end": b"public_name = '" + b"n" * 41 + b"'",
    "a name that obeys a terminal": b'public_name = "\\u001b[2J"',
    "a name that is none": b"public_name = ''",
    "a country that is none": b"country = 'XX'",
    "a country in small letters": b"country = 'de'",
    "a folder somewhere below": b"data_folder = 'bees'",
    "no room for data": b"disk_limit_bytes = 5",
    "an unknown theme": b"theme = 'pink'",
    "an unknown period": b"graph_period = '1h'",
    "a curve with markup": b"graph_curves = ['<b>']",
    "a huge file": b"#" * 100_000,
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_is_kept_aside_and_the_defaults_go_on(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    settings, aside = load_settings(path)
    assert settings == Settings()
    assert aside == path.with_name("settings.toml.broken-1")
    assert aside.read_bytes() == content
    assert load_settings(path) == (Settings(), None)


def test_a_second_broken_file_does_not_replace_the_first(path: Path) -> None:
    path.parent.mkdir()
    for number in (1, 2):
        path.write_text(f"broken {number}")
        assert load_settings(path)[1] == path.with_name(f"settings.toml.broken-{number}")
    assert path.with_name("settings.toml.broken-1").read_text() == "broken 1"


def test_the_latest_settings_are_those_of_the_file_and_those_of_before_while_it_cannot_be_read(path: Path) -> None:
    latest = LatestSettings(path, Settings(device="cpu"))
    assert latest() == Settings(device="cpu"), "there is no file"
    save_settings(path, Settings(threads=2))
    assert latest() == latest() == Settings(threads=2)
    path.write_text("threads = 'many'")
    assert latest() == latest() == Settings(threads=2)
    assert [each.name for each in path.parent.iterdir()] == [path.name], "it is not set aside"
    path.unlink()
    assert latest() == Settings(threads=2)
    save_settings(path, Settings(threads=3))
    assert latest() == Settings(threads=3)


@given(st.binary(max_size=200))
def test_no_file_whatever_stops_the_program(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_bytes(content)
    settings, aside = load_settings(path)
    assert aside is None or settings == Settings()
    if aside:
        aside.unlink()


@pytest.mark.parametrize(
    "wrong",
    [
        {"device": "gpu"},
        {"threads": 0},
        {"port": 70000},
        {"public_name": "n" * 41},
        {"update_address": "http://example.org/latest.json"},
        {"update_address": "http://127.0.0.1@example.org/latest.json"},
        {"update_publisher": "example.org"},
    ],
)
def test_a_choice_out_of_bounds_is_not_saved(path: Path, wrong: dict[str, Any]) -> None:
    save_settings(path, EVERYTHING)
    with pytest.raises(msgspec.ValidationError):
        save_settings(path, Settings(**wrong))
    assert load_settings(path) == (EVERYTHING, None)


def test_a_disk_that_refuses_is_a_problem_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError) as raised:
        save_settings(tmp_path / "file" / "settings.toml", Settings())
    assert raised.value.problem is ErrorKind.FOLDER_NOT_WRITABLE
