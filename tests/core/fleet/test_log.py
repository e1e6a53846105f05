"""The log of a fleet is bounded, survives what happens to files, and gives back the fleet of any moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.fleet.log import FleetLog, numbered, read_log
from core.fleet.snapshot import FleetSnapshot
from tests.core.fleet.made_up_fleets import HOSTILE, NOON, peer, snapshot


def test_what_was_logged_is_read_back_as_it_was(tmp_path: Path) -> None:
    log = FleetLog(tmp_path / "fleet.log")
    logged = [snapshot(peer(0, name=HOSTILE[:40]), peer(1), at=NOON + number) for number in range(3)]
    for each in logged:
        log.add(each)
    assert list(read_log(tmp_path / "fleet.log")) == logged
    assert (tmp_path / "fleet.log").stat().st_mode & 0o077 == 0


def test_a_full_log_is_rotated_and_never_takes_more_than_its_files_together(tmp_path: Path) -> None:
    path, size = tmp_path / "fleet.log", 20_000
    log = FleetLog(path, max_bytes=size, kept=2)
    for number in range(200):
        log.add(snapshot(*map(peer, range(5)), at=NOON + number))
    files = sorted(tmp_path.iterdir())
    assert files == [path, numbered(path, 1), numbered(path, 2)]
    assert all(file.stat().st_size <= size for file in files)
    times = [each.at for each in read_log(path)]
    assert times == sorted(times) and times[-1] == NOON + 199 and 0 < len(times) < 200


@pytest.mark.parametrize("damage", [b'{"event":"fleet","at":', b"\xff\xfe\n", b"[" * 100_000 + b"\n", b"{}\n"])
def test_lines_that_are_no_snapshots_are_passed_over_and_the_next_start_writes_below_them(
    tmp_path: Path, damage: bytes
) -> None:
    path = tmp_path / "fleet.log"
    log = FleetLog(path)
    log.add(first := snapshot(peer(0)))
    with path.open("ab") as file:
        file.write(damage)  # such as the half of a line, of a computer that was switched off
    log.add(second := snapshot(peer(0), at=NOON + 1))
    assert list(read_log(path)) == [first, second]


def test_a_line_of_any_length_is_read_in_bounded_pieces(tmp_path: Path) -> None:
    path = tmp_path / "fleet.log"
    path.write_bytes(b"x" * 5_000_000 + b"\n")
    FleetLog(path).add(last := snapshot(peer(0)))
    assert [each for each in read_log(path) if isinstance(each, FleetSnapshot)] == [last]
