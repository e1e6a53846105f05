"""A state in parts from several donors: all give some, liars are left out, and a cut costs what was under way."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from core.worker.delegation.download_limit import downloads, share_download_limit
from core.worker.swarm.state_parts import donor_stream, download, minimum_rate
from core.worker.swarm.state_parts.donor_stream import DonorBusyError
from core.worker.swarm.state_parts.download import (
    DONOR_RATE,
    Downloaded,
    IncompleteError,
    NothingOfferedError,
    PartsDownload,
    StorageError,
)
from core.worker.swarm.state_parts.part_index import PART_BYTES
from tests.worker.state_parts.donors import (
    PARTS,
    SIZE,
    Busy,
    Clinging,
    CutOff,
    Donor,
    DrippingIndex,
    Flooding,
    Hanging,
    Liar,
    MovingOn,
    Mute,
    OnlyIndex,
    Overtaken,
    WithoutIndex,
    WrongIndex,
    stubs,
)


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for long."""
    monkeypatch.setattr(donor_stream, "SILENCE_SECONDS", 0.5)
    monkeypatch.setattr(download, "RETRY_SECONDS", 0.05)
    monkeypatch.setattr(download, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(download, "GIVE_UP_SECONDS", 3.0)


def downloaded(folder: Path, *donors: Donor, organiser: int | None = None) -> Downloaded:
    """What comes of a download into that folder."""
    by_id = stubs(*donors)
    name = "" if organiser is None else list(by_id)[organiser].to_base58()
    return asyncio.run(PartsDownload(by_id, SIZE, folder, name).run())


def is_whole(got: Downloaded, donor: Donor) -> bool:
    """Whether it is the file of that donor."""
    return got.path.read_bytes() == donor.shared.path.read_bytes()


def test_all_who_have_the_file_give_parts_of_it(tmp_path: Path) -> None:
    donors = [Donor(tmp_path / name) for name in "abc"]
    got = downloaded(tmp_path / "here", *donors)
    assert is_whole(got, donors[0])
    assert got.donors == tuple(stubs(*donors))
    assert sum(got.sent_bytes.values()) == SIZE
    assert all(sent >= PART_BYTES for sent in got.sent_bytes.values()) and len(got.sent_bytes) == 3


def test_under_a_limit_fewer_donors_are_asked_at_once_and_no_part_comes_twice(tmp_path: Path) -> None:
    donors = [Donor(tmp_path / name) for name in "abcdef"]
    share_download_limit()
    downloads().limit = 3 * DONOR_RATE
    try:
        got = downloaded(tmp_path / "here", *donors)
    finally:
        share_download_limit()
    assert is_whole(got, donors[0])
    assert sum(donor.sent_bytes >= PART_BYTES for donor in donors) == 3
    assert sum(got.sent_bytes.values()) == SIZE


def test_one_donor_is_enough(tmp_path: Path) -> None:
    donor = Donor(tmp_path / "a")
    assert is_whole(downloaded(tmp_path / "here", donor), donor)


@pytest.mark.parametrize("kind", [Liar, Flooding])
def test_who_sends_what_was_not_ordered_is_left_out_and_named(
    tmp_path: Path, kind: type[Donor], caplog: pytest.LogCaptureFixture
) -> None:
    honest, bad = Donor(tmp_path / "a"), kind(tmp_path / "b")
    with caplog.at_level(logging.WARNING):
        got = downloaded(tmp_path / "here", honest, bad)
    assert is_whole(got, honest)
    assert bad.sent_bytes < 4 * PART_BYTES
    (message,) = {record.message for record in caplog.records}
    assert f"the donor {list(stubs(honest, bad))[1]} is left out" in message


def test_the_parts_of_one_that_hangs_come_from_another(tmp_path: Path) -> None:
    honest = Donor(tmp_path / "a")
    assert is_whole(downloaded(tmp_path / "here", honest, Hanging(tmp_path / "b")), honest)


def test_a_wrong_index_is_not_used(tmp_path: Path) -> None:
    honest, bad = Donor(tmp_path / "a"), WrongIndex(tmp_path / "b")
    for organiser in (0, 1):
        assert is_whole(downloaded(tmp_path / "here", honest, bad, organiser=organiser), honest)


def test_most_who_keep_their_index_to_themselves_do_not_hold_up_the_others(tmp_path: Path) -> None:
    honest = Donor(tmp_path / "a")
    assert is_whole(downloaded(tmp_path / "here", *(WithoutIndex(tmp_path / name) for name in "bc"), honest), honest)


def test_nobody_can_keep_us_at_what_was_begun_by_only_saying_that_it_has_it(tmp_path: Path) -> None:
    begun = CutOff(tmp_path / "a")
    begun.left_bytes = 4 * PART_BYTES
    with pytest.raises(IncompleteError):
        downloaded(tmp_path / "here", begun)
    stale, new = OnlyIndex(tmp_path / "a"), Donor(tmp_path / "b", version=(13, b"t" * 16), seed=2)
    with pytest.raises(IncompleteError):
        downloaded(tmp_path / "here", stale, new)
    assert is_whole(downloaded(tmp_path / "here", stale, new, organiser=1), new)


def test_nothing_but_liars_ends_in_words(tmp_path: Path) -> None:
    with pytest.raises(IncompleteError, match=f"{PARTS} parts are missing, and nobody sends them"):
        downloaded(tmp_path / "here", Liar(tmp_path / "a"), Liar(tmp_path / "b"))


def test_a_download_ends_although_a_cancellation_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(donor_stream, "SILENCE_SECONDS", 600.0)  # or it would be the stream's own that is lost
    with pytest.raises(IncompleteError):
        downloaded(tmp_path / "here", Clinging(tmp_path / "a"))


def test_after_a_cut_only_the_rest_is_fetched(tmp_path: Path) -> None:
    cut = CutOff(tmp_path / "a")
    cut.left_bytes = 7 * PART_BYTES
    with pytest.raises(IncompleteError):
        downloaded(tmp_path / "here", cut)
    again = Donor(tmp_path / "a")
    got = downloaded(tmp_path / "here", again, Donor(tmp_path / "b", seed=2), Donor(tmp_path / "c", seed=2))
    assert is_whole(got, again)  # although others have another one
    assert 0 < sum(got.sent_bytes.values()) <= SIZE - 6 * PART_BYTES


def test_what_a_crash_has_spoilt_is_fetched_again(tmp_path: Path) -> None:
    donor = Donor(tmp_path / "a")
    got = downloaded(tmp_path / "here", donor)
    data = bytearray(got.path.read_bytes())
    data[3 * PART_BYTES] ^= 1
    got.path.write_bytes(data[:-1])
    again = downloaded(tmp_path / "here", donor)
    assert is_whole(again, donor)
    assert sum(again.sent_bytes.values()) == PART_BYTES + SIZE % PART_BYTES


def test_a_download_of_another_state_takes_the_place_of_the_first(tmp_path: Path) -> None:
    downloaded(tmp_path / "here", Donor(tmp_path / "a"))
    other = Donor(tmp_path / "b", seed=2)
    got = downloaded(tmp_path / "here", other)
    assert is_whole(got, other)
    assert list((tmp_path / "here").iterdir()) == [got.path]


def test_what_most_donors_have_is_taken(tmp_path: Path) -> None:
    two = Donor(tmp_path / "a"), Donor(tmp_path / "b")
    stranger = Donor(tmp_path / "c", version=(99, b"s" * 16), seed=2)
    got = downloaded(tmp_path / "here", stranger, *two)
    assert is_whole(got, two[0])
    assert stranger.sent_bytes == 0


@pytest.mark.parametrize("organiser", [0, 1])
def test_of_two_the_organisers_is_taken(tmp_path: Path, organiser: int) -> None:
    donors = Donor(tmp_path / "a"), Donor(tmp_path / "b", version=(99, b"s" * 16), seed=2)
    assert is_whole(downloaded(tmp_path / "here", *donors, organiser=organiser), donors[organiser])


@pytest.mark.parametrize("asked", [1, 2])
def test_donors_that_have_moved_on_are_followed_at_once(tmp_path: Path, asked: int) -> None:
    donor = MovingOn(tmp_path / "a")
    donor.left = asked  # it tells of its first state, and may still send the index
    assert is_whole(downloaded(tmp_path / "here", donor), donor.later)


def test_who_serves_others_is_asked_again(tmp_path: Path) -> None:
    donor = Busy(tmp_path / "a")
    assert is_whole(downloaded(tmp_path / "here", donor), donor)


def test_who_never_has_time_is_not_waited_for_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "BUSY_SECONDS", 0.0)
    with pytest.raises(NothingOfferedError):
        downloaded(tmp_path / "here", Busy(tmp_path / "a"))


def test_donors_that_serve_others_are_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "GIVE_UP_SECONDS", 1.0)
    with pytest.raises(DonorBusyError, match=f"{PARTS} parts are missing"):
        downloaded(tmp_path / "here", Overtaken(tmp_path / "a"), Mute(tmp_path / "b"))


def test_a_state_of_another_size_and_another_protocol_are_no_offers(tmp_path: Path) -> None:
    with pytest.raises(NothingOfferedError):
        downloaded(tmp_path / "here", Donor(tmp_path / "a", size=SIZE + 1), Mute(tmp_path / "b"))


def test_a_full_disk_ends_in_words(small_disk: Path, tmp_path: Path, fill_disk: Callable[[], None]) -> None:
    (small_disk / "here").mkdir()
    fill_disk()
    with pytest.raises(StorageError, match="No space"):
        downloaded(small_disk / "here", Donor(tmp_path / "a"))


def test_who_drips_its_index_holds_nobody_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minimum_rate, "PERIOD_SECONDS", 0.3)
    with pytest.raises(IncompleteError, match="too quickly"):
        downloaded(tmp_path / "downloads", DrippingIndex(tmp_path))
    honest = Donor(tmp_path)
    assert is_whole(downloaded(tmp_path / "downloads", DrippingIndex(tmp_path), honest), honest)
