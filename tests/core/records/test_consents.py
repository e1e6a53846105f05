"""What was agreed to is remembered by its digest, for its owner only, and nothing else is covered by it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from core.protocol.events import RunFound
from core.records.consents import MOST_CONSENTS, Consents
from tests.support.peers import fake_worker

RUN = RunFound(manifest=fake_worker.manifest(), organiser=fake_worker.ORGANISER, vouched=True)
WIDENED = msgspec.structs.replace(RUN, manifest=fake_worker.widened())
DESCRIBED_ANEW = msgspec.structs.replace(RUN, manifest=fake_worker.described_anew())


def test_an_unchanged_run_is_covered_after_a_restart_and_a_changed_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "consents.json"
    Consents(path).remember(RUN, at=1000.0)
    later = Consents(path)
    assert later.cover(RUN) and later.cover(DESCRIBED_ANEW)
    assert not later.cover(WIDENED)
    assert not later.cover(msgspec.structs.replace(RUN, organiser="12D3KooWsomebodyelse"))
    known = later.of(WIDENED)
    assert known is not None and known.shown == RUN.manifest
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_last_consent_counts(tmp_path: Path) -> None:
    consents = Consents(tmp_path / "consents.json")
    for run in (RUN, WIDENED):
        consents.remember(run, at=1000.0)
    assert consents.cover(WIDENED) and not consents.cover(RUN)


def test_a_forgotten_consent_is_asked_for_again(tmp_path: Path) -> None:
    consents = Consents(tmp_path / "consents.json")
    consents.remember(RUN, at=1000.0)
    consents.forget(RUN.manifest.run.id, RUN.organiser)
    assert consents.are_empty and not consents.cover(RUN)


def test_a_damaged_file_and_a_manifest_that_cannot_be_read_cover_nothing(tmp_path: Path) -> None:
    path = tmp_path / "consents.json"
    consents = Consents(path)
    consents.remember(RUN, at=1000.0)
    path.write_text(path.read_text().replace("arithmetic-gpt", "no-such-recipe"))
    known = consents.of(RUN)
    assert known is not None and known.shown is None
    path.write_text("[")
    assert not consents.cover(RUN)


def test_the_oldest_of_many_are_forgotten(tmp_path: Path) -> None:
    consents = Consents(tmp_path / "consents.json")
    for number in range(MOST_CONSENTS + 1):
        consents.remember(msgspec.structs.replace(RUN, organiser=f"somebody {number}"), at=1000.0)
    first, second = (msgspec.structs.replace(RUN, organiser=f"somebody {number}") for number in (0, 1))
    assert not consents.cover(first) and consents.cover(second)
