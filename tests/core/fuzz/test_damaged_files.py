"""Files of this computer, damaged or absurd: nothing in them stops a start."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.errors import UserError
from core.records.contribution_totals import ContributionDelta
from core.records.recent_runs import MOST_RUNS, RecentRun, RecentRuns
from core.records.settings import Settings, load_settings, save_settings
from core.records.time_series import History
from core.security.identity import Identity
from core.security.known_organisers import KnownOrganisers
from tests.support.hypothesis_profile import ODD_TEXT, damaged, tried

ORGANISER = Identity.create()
NOW = 1_800_000_000.0


GOOD_NAMES = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=40)
ALL_SETTINGS = st.builds(
    Settings,
    device=st.sampled_from(["auto", "cpu", "cuda:7", "GPU-1a2b"]),
    threads=st.none() | st.integers(1, 1024),
    port=st.none() | st.integers(1, 65535),
    public_name=st.none() | GOOD_NAMES,
    data_folder=st.none() | GOOD_NAMES.map("/{}".format),
    disk_limit_bytes=st.none() | st.integers(10**8, 10**15),
    graph_curves=st.lists(st.sampled_from(["loss", "my_rate"]), max_size=32).map(tuple),
)


@given(ALL_SETTINGS)
def test_all_settings_that_may_be_saved_are_loaded_again(tmp_path: Path, settings: Settings) -> None:
    save_settings(tmp_path / "settings.toml", settings)
    assert load_settings(tmp_path / "settings.toml") == (settings, None)


@given(ODD_TEXT, ODD_TEXT)
@example("\ud800", "x")
@example("x", "\udfff")
def test_a_name_or_a_folder_is_saved_or_refused(tmp_path: Path, name: str, folder: str) -> None:
    settings = Settings(public_name=name, data_folder="/" + folder)
    with contextlib.suppress(msgspec.ValidationError):
        save_settings(tmp_path / "settings.toml", settings)
        assert load_settings(tmp_path / "settings.toml") == (settings, None)


RUNS = st.builds(
    RecentRun,
    run_id=st.text(min_size=1, max_size=64),
    name=st.text(max_size=200),
    organiser=st.text(max_size=200),
    address=st.text(max_size=200),
    last_state=st.sampled_from(["trained", "paused", "failed", "refused", "finished"]),
    at=st.floats(0, 1e12),
)


@tried(30)
@given(st.lists(RUNS, max_size=5))
def test_every_recent_run_that_is_remembered_is_read_again(tmp_path: Path, runs: list[RecentRun]) -> None:
    (tmp_path / "recent.json").unlink(missing_ok=True)
    kept = RecentRuns(tmp_path / "recent.json")
    for number in range(MOST_RUNS if runs else 0):
        kept.remember(msgspec.structs.replace(runs[number % len(runs)], run_id=f"run-{number}"))
    again = RecentRuns(tmp_path / "recent.json")
    assert (again.all(), again.aside) == (kept.all(), None)


@given(damaged(msgspec.json.encode({"sums": {"organiser": ORGANISER.peer_id, "revision": 7}})))
def test_damaged_known_runs_are_others_or_put_aside(tmp_path: Path, encoded: bytes) -> None:
    (tmp_path / "known.json").write_bytes(encoded)
    known = KnownOrganisers(tmp_path / "known.json")
    with contextlib.suppress(UserError):
        known.check("sums", ORGANISER.peer_id, 7)
    known.remember("sums", ORGANISER.peer_id, 8)
    known.check("sums", ORGANISER.peer_id, 8)
    for aside in tmp_path.glob("*.broken-*"):
        aside.unlink()


@pytest.fixture(scope="module")
def history_file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Of somebody who has helped for some minutes."""
    path = tmp_path_factory.mktemp("history") / "good.sqlite"
    history, _ = History.open(path)
    for second in range(300):
        history.record("run", "loss", NOW + second, float(second))
    history.store.contributions.add("run", ContributionDelta("A run", samples=64))
    assert history.flush()
    history.close()
    return path.read_bytes()


@tried(60)
@given(st.data())
def test_no_damage_to_a_history_stops_the_next(tmp_path: Path, history_file: bytes, data: st.DataObject) -> None:
    for old in tmp_path.iterdir():
        old.unlink()
    (tmp_path / "history.sqlite").write_bytes(data.draw(damaged(history_file)))
    use(tmp_path / "history.sqlite")


def use(path: Path) -> None:
    """Look at everything in a history, and add to it."""
    history, _ = History.open(path)
    history.record("run", "loss", NOW + 400, 1.0)
    for period in (60.0, None):
        assert len(history.curve("run", "loss", period, NOW + 400).lows)
    history.store.contributions.add("run", ContributionDelta("A run", samples=64))
    history.flush()
    history.close()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE deeds SET samples = 'x'",
        "UPDATE deeds SET joules = x'ff', seconds = 'y'",
        "UPDATE deeds SET run_id = x'ff', name = 7",
        "UPDATE columns SET low = 'x'",
        "UPDATE columns SET bucket = 'x'",
        "UPDATE curves SET began = 'x'",
    ],
)
def test_words_in_the_place_of_numbers_are_passed_over(tmp_path: Path, history_file: bytes, damage: str) -> None:
    path = tmp_path / "history.sqlite"
    path.write_bytes(history_file)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(damage)
        connection.commit()
    use(path)


def test_a_history_whose_damage_is_in_sqlites_own_words_is_put_aside(tmp_path: Path, history_file: bytes) -> None:
    path = tmp_path / "history.sqlite"
    path.write_bytes(history_file.replace(b"CREATE TABLE deeds", b"CREATE \xbf\xbfBLE deeds"))
    use(path)
    assert [aside.read_bytes() != path.read_bytes() for aside in tmp_path.glob("*.broken-1")] == [True]
