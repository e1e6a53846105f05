"""A catalogue is believed only as its publisher has signed it, whatever a server, a stranger or a clock does."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue

import msgspec
import pytest
from hypothesis import given

from core.catalogue.catalogue import MAX_CATALOGUE_BYTES, MAX_RUNS, Catalogue, CatalogueEntry
from core.catalogue.reader_process import CatalogueReading
from core.catalogue.refusal import Refusal, RefusalReason, RefusedCatalogueError
from core.catalogue.signed_file import _SIGNING_PREFIX, SignedCatalogue, open_catalogue, read_unsigned, sign_catalogue
from core.catalogue.source import read_catalogue, source_in
from core.catalogue.store import EVERY_SECONDS, KEPT_SECONDS, CatalogueStore
from core.files.disk_space import DiskSpace
from core.hardware.device import Device
from core.hardware.fit import compare_needs, fits
from core.run.run_file import parse_run_file, template
from core.security.address_guard import AddressRefusedError
from core.security.https_fetch import fetch
from core.security.identity import Identity
from core.texts.catalogues.refusals import refusal_words
from tests.core.catalogue.listed import DAY, ORGANISER, catalogue, entry, link_of
from tests.support.environment.update_server import NoticeServer, serving_notices
from tests.support.hypothesis_profile import damaged

LIMIT_SECONDS = 120.0
PUBLISHER, STRANGER = Identity.create(), Identity.create()
LISTED = catalogue(entry(), entry("reading", name="Reading „together“", description='Two lines\nand a """quote"""'))
SIGNED = sign_catalogue(LISTED, PUBLISHER)
NOW = LISTED.made.timestamp()


def signed_text(text: str) -> bytes:
    """A text that the publisher has signed, whatever it is."""
    import base64

    body = text.encode()
    signature = base64.b64encode(PUBLISHER.sign(_SIGNING_PREFIX + body)).decode()
    return f"# workerbee catalogue 1 {PUBLISHER.peer_id} {signature}\n".encode() + body


def reason_of(encoded: bytes, now: float = NOW) -> RefusalReason:
    """Why those bytes are refused; the words for it hold no placeholder."""
    with pytest.raises(RefusedCatalogueError) as refused:
        open_catalogue(encoded, now)
    assert "%" not in refusal_words(refused.value.refusal)
    return refused.value.refusal.reason


# What is signed


def test_what_was_signed_is_read_and_people_can_read_it_too() -> None:
    assert open_catalogue(SIGNED) == SignedCatalogue(PUBLISHER.peer_id, LISTED)
    assert 'title = "Runs of the meadow"' in SIGNED.decode() and "[[run]]" in SIGNED.decode()


@given(damaged(SIGNED))
def test_damage_is_noticed_unless_it_changes_nothing(encoded: bytes) -> None:
    with contextlib.suppress(RefusedCatalogueError):
        assert open_catalogue(encoded, NOW).catalogue == LISTED


def test_an_entry_says_of_a_run_what_its_manifest_says() -> None:
    manifest = parse_run_file(template())
    found = CatalogueEntry.of_run(manifest, ORGANISER, link_of(manifest.run.id))
    gpu = Device("cuda", 0, "GPU-1", "GPU", 12 * 10**9, 9 * 10**9)
    cpu = Device("cpu", 0, None, "CPU", 32 * 10**9, 10**9)
    for device in (gpu, cpu):
        whole = fits(manifest, device, (gpu, cpu), DiskSpace(10**12))
        assert compare_needs(found.needs, device, (gpu, cpu), DiskSpace(10**12)) == whole


@pytest.mark.parametrize(
    ("encoded", "reason"),
    [
        (b"", "unsigned"),
        (b"<html>Log in to this hotel's network</html>", "unsigned"),
        (SIGNED.partition(b"\n")[2], "unsigned"),
        (SIGNED.replace(b"meadow", b"shadow"), "wrong_signature"),
        (SIGNED.replace(PUBLISHER.peer_id.encode(), STRANGER.peer_id.encode(), 1), "wrong_signature"),
        (SIGNED + b"#" * MAX_CATALOGUE_BYTES, "too_large"),
        (signed_text("["), "unreadable"),
        (signed_text("a = " + "[" * 5000), "unreadable"),
        (signed_text('title = "x"\ncommand = "rm"\n'), "unreadable"),
        (signed_text("format = 2\n"), "too_new"),
        (signed_text("[[run]]\n" * 100_000), "too_many_runs"),
    ],
)
def test_anything_else_is_refused_with_its_reason(encoded: bytes, reason: RefusalReason) -> None:
    assert reason_of(encoded) == reason


def test_a_list_is_refused_after_its_time() -> None:
    assert reason_of(SIGNED, LISTED.expires.timestamp() + 1) == "expired"


def test_nobody_signs_what_nobody_would_accept() -> None:
    with pytest.raises(RefusedCatalogueError, match=r"sums: .come.: this is not an address"):
        sign_catalogue(catalogue(entry(address="come to me")), PUBLISHER)
    with pytest.raises(ValueError, match=str(MAX_RUNS)):
        full = msgspec.structs.replace(LISTED, run=tuple(entry(f"run-{number}") for number in range(MAX_RUNS)))
        full.with_entry(entry())


def test_a_list_that_was_changed_by_hand_is_read_to_be_signed_again() -> None:
    assert read_unsigned(SIGNED.replace(b"meadow", b"shadow")).title == "Runs of the shadow"
    assert read_unsigned(SIGNED.partition(b"\n")[2]) == LISTED


def test_a_run_that_is_added_again_takes_the_place_of_the_older_one() -> None:
    changed = LISTED.with_entry(entry(name="Sums, anew"))
    assert [each.name for each in changed.run] == ["Sums, anew", LISTED.run[1].name]


# Where it is read from


@pytest.mark.parametrize("text", ["", "runs.toml", "http://example.org/runs.toml", "file:///etc/passwd", "/a\nb"])
def test_neither_an_address_nor_a_file_is_no_source(text: str) -> None:
    with pytest.raises(RefusedCatalogueError, match="no_address"):
        source_in(text)


def test_a_file_is_a_source(tmp_path: Path) -> None:
    path = tmp_path / "runs.toml"
    assert isinstance(read(str(path), tmp_path), Refusal)
    path.write_bytes(SIGNED)
    assert read_catalogue(source_in(f" {path} ")) == open_catalogue(SIGNED)


@pytest.fixture
def server() -> Iterator[NoticeServer]:
    """It has the catalogue."""
    with serving_notices() as server:
        server.body = SIGNED
        yield server


def read(source: str, data: Path) -> SignedCatalogue | Refusal:
    """What the process that reads it answers."""
    answers: SimpleQueue[SignedCatalogue | Refusal] = SimpleQueue()
    CatalogueReading(source, data, answers.put).start()
    return answers.get(timeout=LIMIT_SECONDS)


def test_a_server_is_asked_and_learns_nothing_of_who_asks(server: NoticeServer, tmp_path: Path) -> None:
    assert read(server.address, tmp_path) == open_catalogue(SIGNED)
    (told,) = server.asked
    assert told.keys() <= {"Host", "User-Agent", "Connection", "Accept-Encoding"}
    assert told["User-Agent"] == "workerbee"


def test_a_huge_answer_a_cut_one_a_dead_server_and_nonsense_are_told_apart(
    server: NoticeServer, tmp_path: Path
) -> None:
    server.body = SIGNED + b"#" * 50_000_000
    assert read(server.address, tmp_path) == Refusal("too_large")
    server.body = b"<html></html>"
    assert read(server.address, tmp_path) == Refusal("unsigned")
    server.body, server.cut_at_bytes = SIGNED, len(SIGNED) // 2
    cut = read(server.address, tmp_path)
    assert isinstance(cut, Refusal) and cut.reason == "unreachable", "nobody is told that its publisher is to blame"
    assert str(cut.detail) == f"cut after {len(SIGNED) // 2} of {len(SIGNED)} bytes"
    server.shutdown()
    server.server_close()
    answer = read(server.address, tmp_path)
    assert isinstance(answer, Refusal) and answer.reason == "unreachable" and answer.detail == "Connection refused"


def test_a_file_that_cannot_be_read_is_told_in_plain_words(tmp_path: Path) -> None:
    for source, words in ((tmp_path / "none.toml", "No such file or directory"), (tmp_path, "Is a directory")):
        with pytest.raises(RefusedCatalogueError) as refused:
            read_catalogue(str(source))
        assert refused.value.refusal == Refusal("unreachable", words)


def test_no_address_leads_into_the_own_network(server: NoticeServer) -> None:
    with pytest.raises(AddressRefusedError, match="own network"):
        fetch(server.address.replace("http:", "https:"), 1000, is_guarded=True)
    server.leads_to = "http://192.168.0.1/router"
    with pytest.raises(ValueError, match="https"):
        fetch(server.address, 1000, is_guarded=True)


# What is kept


@pytest.fixture
def store(tmp_path: Path) -> CatalogueStore:
    """It knows the catalogue since NOW."""
    store = CatalogueStore(tmp_path / "catalogues")
    store.add("https://example.org/runs.toml", open_catalogue(SIGNED, NOW), NOW)
    return store


SOURCE = "https://example.org/runs.toml"
Changed = Callable[[], SignedCatalogue | Refusal]
NEWER = catalogue(entry("newer"), made=NOW + DAY)


def again(store: CatalogueStore, tmp_path: Path) -> tuple[Catalogue, Refusal | None]:
    """The shown list and the refusal, which are the same after a restart."""
    known, restarted = store.find(SOURCE), CatalogueStore(tmp_path / "catalogues").find(SOURCE)
    assert known is not None and known == restarted
    return known.catalogue, known.refusal


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Refusal("unreachable", "no route"), "unreachable"),
        (Refusal("wrong_signature"), "wrong_signature"),
        (Refusal("expired", "2026-11-25"), "expired"),
        (SignedCatalogue(STRANGER.peer_id, NEWER), "other_key"),
        (SignedCatalogue(PUBLISHER.peer_id, catalogue(entry("old"), made=NOW - DAY)), "older"),
    ],
)
def test_the_last_good_list_is_kept_beside_the_reason_for_a_while(
    store: CatalogueStore, tmp_path: Path, answer: SignedCatalogue | Refusal, reason: RefusalReason
) -> None:
    store.update(SOURCE, answer, NOW + DAY)
    kept, refusal = again(store, tmp_path)
    assert kept == LISTED and refusal is not None and refusal.reason == reason
    (known,) = store.all
    assert known.is_kept(NOW + KEPT_SECONDS) and not known.is_kept(NOW + KEPT_SECONDS + 1)


def test_a_newer_list_of_the_same_key_takes_its_place(store: CatalogueStore, tmp_path: Path) -> None:
    store.update(SOURCE, Refusal("unreachable"), NOW + 1)
    store.update(SOURCE, SignedCatalogue(PUBLISHER.peer_id, NEWER), NOW + DAY)
    assert again(store, tmp_path) == (NEWER, None)


def test_a_changed_key_is_trusted_only_when_the_list_is_added_again(store: CatalogueStore, tmp_path: Path) -> None:
    read = SignedCatalogue(STRANGER.peer_id, NEWER)
    store.update(SOURCE, read, NOW + DAY)
    store.add(SOURCE, read, NOW + DAY)
    assert again(store, tmp_path) == (NEWER, None) and len(store.all) == 1


def test_it_is_read_every_few_hours_at_the_most(store: CatalogueStore) -> None:
    (known,) = store.all
    assert not known.is_due(NOW + EVERY_SECONDS - 1) and known.is_due(NOW + EVERY_SECONDS)
    assert known.is_due(NOW - 1), "a clock that was set back puts it off for ever"


def test_a_removed_list_leaves_nothing_and_its_late_answer_does_nothing(store: CatalogueStore, tmp_path: Path) -> None:
    store.remove(SOURCE)
    store.update(SOURCE, open_catalogue(SIGNED, NOW), NOW)
    assert store.all == () and not (tmp_path / "catalogues").exists()


def test_a_damaged_file_is_as_good_as_none(store: CatalogueStore, tmp_path: Path) -> None:
    (path,) = (tmp_path / "catalogues").glob("*.json")
    path.write_bytes(b"{" * 5000)
    assert CatalogueStore(tmp_path / "catalogues").all == ()
