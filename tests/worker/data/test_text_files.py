"""Text from files at addresses: fetched, verified, packed into blocks, in an order of each peer's own."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import random
import shutil
import threading
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import pyarrow as pa
import pytest
import torch
from pyarrow import parquet

from core.errors import ErrorKind, UserError
from core.run.spec.data import FileAt, TextFiles
from core.worker.data import Blocks, documents_files, open_blocks
from core.worker.data.documents_files import CHUNK_BYTES, FileDocuments
from core.worker.fetch.file_store import FileStore
from tests.support.environment.fake_hub import Hub, local_hub
from tests.support.recorders import RecordingListener

LENGTH = 64
Format = Literal["parquet", "json-lines", "text"]


def documents(count: int, words: int = 6) -> list[str]:
    """Each is another, and none is part of another."""
    return [" ".join([f"<{number}>", *("word" for _ in range(words))]) + "." for number in range(count)]


TEXTS = documents(3000)


def encoded(texts: list[str], form: Format) -> bytes:
    match form:
        case "text":
            return "\n\n".join(texts).encode()
        case "json-lines":
            return "\n".join(json.dumps({"text": text, "id": number}) for number, text in enumerate(texts)).encode()
        case "parquet":
            file = io.BytesIO()
            parquet.write_table(pa.table({"text": texts}), file, row_group_size=100)
            return file.getvalue()


class Library:
    """Puts files on the hub, and opens them for peers that each have a folder of their own."""

    def __init__(self, home: Path, hub: Hub) -> None:
        self.home, self.hub = home, hub
        self.opened: list[Blocks] = []

    def put(self, *files: bytes) -> tuple[FileAt, ...]:
        repository = self.hub.publish("dataset", "any/files", {f"{n}.txt": data for n, data in enumerate(files)})
        return tuple(
            FileAt(url=repository.url(path), sha256=hashlib.sha256(data).hexdigest(), size_bytes=len(data))
            for path, data in repository.files.items()
        )

    def open(
        self,
        *files: FileAt,
        form: Format = "text",
        column: str = "text",
        peer: int = 1,
        one_in: int = 10,
        limit: int | None = None,
        listener: RecordingListener | None = None,
    ) -> Blocks:
        data = TextFiles(files=files, format=form, column=column, held_out_one_in=one_in)
        store = FileStore(self.home / f"{peer}", limit)
        blocks = open_blocks(
            data, sequence_length=LENGTH, seed=peer, store=store, listener=listener or RecordingListener()
        )
        self.opened.append(blocks)
        return blocks

    def close(self) -> None:
        for blocks in self.opened:
            blocks.close()
        for thread in threading.enumerate():
            if thread.name == "reading ahead":
                thread.join(60)
                assert not thread.is_alive()


@pytest.fixture
def library(tmp_path: Path, hub: Hub) -> Iterator[Library]:
    made = Library(tmp_path, hub)
    yield made
    made.close()


def text_of(blocks: Blocks, rows: torch.Tensor) -> str:
    return "".join(blocks.text(row) for row in rows)


def whole(rows: torch.Tensor) -> list[str]:
    """The documents among those tokens, as they stand between ends of texts."""
    tokens = rows.flatten().tolist()
    pieces = bytes(0 if token == 256 else token for token in tokens).split(b"\0")
    return [piece.decode(errors="replace") for piece in pieces]


def within(rows: torch.Tensor, texts: list[str] = TEXTS) -> set[str]:
    return set(whole(rows)) & set(texts)


def once_through(texts: list[str]) -> int:
    """So many blocks are all of them."""
    return sum(len(text) + 1 for text in texts) // LENGTH


@pytest.mark.parametrize("form", ["text", "json-lines", "parquet"])
def test_all_is_drawn_but_what_is_held_out(library: Library, form: Format) -> None:
    blocks = library.open(*library.put(encoded(TEXTS, form)), form=form)
    held_out = within(blocks.held_out())
    drawn = within(blocks.draw(once_through(TEXTS)))
    assert blocks.held_out().shape == (64, LENGTH)
    assert blocks.draw(3).dtype == torch.int64
    assert len(held_out) > 50
    assert drawn & held_out == set()
    assert 0.85 * len(TEXTS) < len(drawn) < 0.95 * len(TEXTS)


@pytest.mark.parametrize("form", ["text", "json-lines"])
def test_of_a_file_without_line_breaks_one_piece_at_a_time_is_in_memory(
    tmp_path: Path, form: Format, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents_files, "_LONGEST_LINE_BYTES", CHUNK_BYTES)
    with (tmp_path / "file").open("wb") as file:
        file.truncate(32 * CHUNK_BYTES)
    at = FileAt(url="https://example.org/file", sha256="0" * 64, size_bytes=32 * CHUNK_BYTES)
    cache: Any = SimpleNamespace(file=lambda _file, _task: tmp_path / "file")
    source = FileDocuments(TextFiles(files=(at,), format=form), cache)
    task: Any = None
    tracemalloc.start()
    try:
        with pytest.raises(UserError) if form == "json-lines" else contextlib.nullcontext():
            assert sum(map(len, source.read(random.Random(1), task))) == 32 * CHUNK_BYTES
        assert tracemalloc.get_traced_memory()[1] < 8 * CHUNK_BYTES
    finally:
        tracemalloc.stop()


def test_between_documents_stands_the_end_of_a_text(library: Library) -> None:
    blocks = library.open(*library.put(b"One.\n\nTwo.\n\nThree."), one_in=1000)
    assert (blocks.vocabulary_size, blocks.mask_token) == (258, 257)
    assert set(whole(blocks.draw(4))[:-1]) == {"Two.", "Three."}


def test_every_peer_has_an_order_of_its_own_and_the_same_held_out(library: Library) -> None:
    files = library.put(encoded(TEXTS, "text"))
    one, other = library.open(*files, peer=1), library.open(*files, peer=2)
    assert one.held_out().equal(other.held_out())
    mine, theirs = (within(blocks.draw(100)) for blocks in (one, other))
    assert len(mine & theirs) < 0.3 * len(mine)


def test_the_order_of_a_peer_is_its_own_wherever_it_runs(library: Library, tmp_path: Path) -> None:
    files = library.put(encoded(TEXTS, "text"))
    first = library.open(*files).draw(50)
    shutil.rmtree(tmp_path / "1")
    assert library.open(*files).draw(50).equal(first)


def test_whoever_comes_back_from_a_pause_reads_something_else(library: Library) -> None:
    files = library.put(encoded(TEXTS, "text"))
    first = within(library.open(*files).draw(100))
    again = within(library.open(*files).draw(100))
    assert len(first & again) < 0.3 * len(first)


def test_each_time_through_the_data_has_another_order(library: Library) -> None:
    texts = documents(200)
    blocks = library.open(*library.put(encoded(texts, "text")), one_in=1000)
    passes = [blocks.draw(once_through(texts)) for _ in range(3)]
    assert len({text_of(blocks, rows[:2]) for rows in passes}) == 3
    assert all(len(within(rows, texts)) > 0.9 * len(texts) for rows in passes)


@pytest.mark.parametrize("form", ["text", "json-lines"])
def test_no_document_is_lost_or_read_twice_where_a_large_file_is_taken_in_stretches(
    library: Library, form: Format
) -> None:
    texts = documents(3 * CHUNK_BYTES // 2000, words=400)
    data = encoded(texts, form)
    assert len(data) > 2.5 * CHUNK_BYTES
    blocks = library.open(*library.put(data), form=form, one_in=10_000)
    drawn = Counter(whole(blocks.draw(once_through(texts[1:]))))
    counts = [drawn[text] for text in texts]
    assert max(counts) == 1
    assert sum(counts) > 0.99 * len(texts)


def test_a_text_without_empty_lines_is_read_too(library: Library) -> None:
    blocks = library.open(*library.put(b"All in one line. " * 50_000), one_in=10_000)
    assert "in one line. All" in text_of(blocks, blocks.draw(4))


def test_a_small_file_has_something_held_out_and_something_to_draw(library: Library) -> None:
    blocks = library.open(*library.put(b"First.\n\nSecond."), one_in=10_000)
    assert "First." in text_of(blocks, blocks.held_out())
    assert set(text_of(blocks, blocks.draw(2))) == set("Second.")


@pytest.mark.parametrize("data", [b"Only one.", b"\n\n\n"])
def test_a_file_with_nothing_to_train_on_is_refused(library: Library, data: bytes) -> None:
    with pytest.raises(UserError, match="no text") as refused:
        library.open(*library.put(data)).draw(1)
    assert refused.value.problem is ErrorKind.FILES_REFUSED


def test_several_files_are_all_read(library: Library) -> None:
    halves = library.put(encoded(TEXTS[:1500], "text"), encoded(TEXTS[1500:], "text"))
    blocks = library.open(*halves)
    drawn = within(blocks.draw(once_through(TEXTS)))
    assert 0.85 * len(TEXTS) < len(drawn) < 0.95 * len(TEXTS)


@pytest.mark.parametrize(
    ("data", "form", "words"),
    [
        (b'{"text": "fine"}\n{"text": ', "json-lines", "truncated"),
        (b'{"story": "fine"}\n', "json-lines", "no “text”"),
        (b"[1, 2]\n", "json-lines", "no “text”"),
        (b"This is no Parquet.", "parquet", "arquet"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_words(
    library: Library, data: bytes, form: Format, words: str
) -> None:
    with pytest.raises(UserError, match=words) as refused:
        library.open(*library.put(data), form=form)
    assert refused.value.problem is ErrorKind.FILES_REFUSED
    assert "/0.txt: " in str(refused.value)


def test_a_column_that_is_not_there_is_refused_in_words(library: Library) -> None:
    with pytest.raises(UserError, match="no column “story”"):
        library.open(*library.put(encoded(TEXTS, "parquet")), form="parquet", column="story")


def test_a_file_with_another_hash_is_refused_and_deleted(library: Library) -> None:
    (file,) = library.put(encoded(TEXTS, "text"))
    library.hub.answers["0.txt"] = os.urandom(file.size_bytes)
    with pytest.raises(UserError, match=f"should be {file.sha256}") as refused:
        library.open(file)
    assert refused.value.problem is ErrorKind.FILES_REFUSED
    kept = (library.home / "1").rglob("*")
    assert not any(path.is_file() and path.stat().st_size > 1000 for path in kept)


@pytest.mark.parametrize("length", [-1, 1])
def test_a_file_with_another_size_is_refused_before_it_is_fetched(library: Library, length: int) -> None:
    (file,) = library.put(encoded(TEXTS, "text"))
    library.hub.answers["0.txt"] = bytes(file.size_bytes + length)
    with pytest.raises(UserError, match=f"it has {file.size_bytes + length} bytes"):
        library.open(file)


def test_a_file_that_is_not_there_is_no_reason_to_wait(library: Library) -> None:
    (file,) = library.put(b"One.\n\nTwo.")
    library.hub.repositories.clear()
    with pytest.raises(UserError, match="the server answers 404"):
        library.open(file)


def test_a_download_goes_on_after_a_cut_and_tells_how_far_it_is(library: Library) -> None:
    texts = documents(30_000, words=20)
    (file,) = library.put(encoded(texts, "text"))
    library.hub.cuts = [1_000_000]
    listener = RecordingListener()
    library.open(file, listener=listener)
    assert listener.told[-1] == (file.size_bytes, file.size_bytes)
    _, second = library.hub.asked("0.txt")
    assert "bytes=" in second and "bytes=0-" not in second


def test_the_second_start_needs_no_network(tmp_path: Path) -> None:
    with local_hub() as hub:
        library = Library(tmp_path, hub)
        files = library.put(encoded(TEXTS, "text"))
        first = library.open(*files).held_out()
    blocks = library.open(*files)
    assert blocks.held_out().equal(first)
    blocks.draw(10)
    library.close()


@pytest.mark.slow
def test_a_server_that_stops_answering_in_the_middle_is_waited_for(tmp_path: Path) -> None:
    listener = RecordingListener()
    with local_hub() as hub:
        library = Library(tmp_path, hub)
        first, second = library.put(encoded(TEXTS[:1500], "text"), encoded(TEXTS[1500:], "text"))
        blocks = library.open(first, second, listener=listener)
    drawn: list[torch.Tensor] = []
    drawing = threading.Thread(target=lambda: drawn.append(blocks.draw(once_through(TEXTS))), daemon=True)
    drawing.start()
    assert listener.has_warned.wait(60)
    assert listener.warned[0][0] is ErrorKind.FILES_UNREACHABLE
    with local_hub(hub):
        drawing.join(120)
    assert len(within(drawn[0])) > 0.85 * len(TEXTS)
    library.close()


def test_an_error_of_the_reading_thread_arrives_where_blocks_are_drawn(library: Library) -> None:
    good, bad = library.put(encoded(TEXTS, "text"), b"Not this one.")
    library.hub.answers["1.txt"] = b"Not that one."
    blocks = library.open(good, bad)
    for _ in range(2):
        with pytest.raises(UserError, match="digest"):
            blocks.draw(2 * once_through(TEXTS))


def test_whoever_leaves_does_not_wait_for_blocks(library: Library) -> None:
    files = library.put(encoded(TEXTS, "text"), encoded(TEXTS, "text") + b"!")
    listener = RecordingListener()
    is_asked, may_go_on = threading.Event(), threading.Event()

    def stall() -> None:
        is_asked.set()
        may_go_on.wait(60)

    blocks = library.open(*files, listener=listener)
    library.hub.before_file["1.txt"] = stall
    left = threading.Event()

    def draw() -> None:
        try:
            blocks.draw(10**6)
        except KeyboardInterrupt:
            left.set()

    threading.Thread(target=draw, daemon=True).start()
    assert is_asked.wait(60)
    listener.is_leaving = True
    assert left.wait(10)
    may_go_on.set()


def test_where_there_is_little_room_only_the_files_in_use_are_kept(library: Library) -> None:
    texts = [os.urandom(150).hex() for _ in range(2000)]
    size = len(encoded(texts[:1000], "text"))
    files = library.put(encoded(texts[:1000], "text"), encoded(texts[1000:], "text"))
    blocks = library.open(*files, limit=100_000_000 + round(1.5 * size))
    blocks.draw(once_through(texts))
    kept = [path for path in (library.home / "1" / "fetched" / "files").iterdir() if path.is_file()]
    assert len(kept) == 1
    assert len(library.hub.asked("0.txt")) + len(library.hub.asked("1.txt")) >= 2


def test_a_file_that_does_not_fit_the_limit_is_not_fetched(library: Library) -> None:
    (file,) = library.put(encoded(documents(30_000, words=20), "text"))
    with pytest.raises(UserError, match="of your limit are left") as refused:
        library.open(file, limit=100_000_000)
    assert refused.value.problem is ErrorKind.NO_ROOM
    assert library.hub.asked("0.txt") == []


def test_a_disk_that_fills_is_told_and_survived(
    library: Library, small_disk: Path, fill_disk: Callable[[], None]
) -> None:
    (file,) = library.put(encoded(documents(30_000, words=20), "text"))
    library.home = small_disk
    library.hub.before_file["0.txt"] = fill_disk
    with pytest.raises(UserError) as refused:
        library.open(file)
    assert refused.value.problem is ErrorKind.DISK_FULL
    (small_disk / "hog").unlink()
    library.hub.before_file.clear()
    library.open(file)


def test_what_is_held_out_is_not_looked_for_again(tmp_path: Path) -> None:
    with local_hub() as hub:
        library = Library(tmp_path, hub)
        files = library.put(encoded(TEXTS, "text"))
        first = library.open(*files)
    shutil.rmtree(tmp_path / "1" / "fetched" / "files")
    again = library.open(*files)  # there is no server to ask
    assert again.held_out().equal(first.held_out())
    with local_hub(hub):
        drawn = within(again.draw(once_through(TEXTS)))
    assert TEXTS[0] in within(first.held_out())
    assert drawn & within(first.held_out()) == set()
    library.close()


def test_damaged_notes_of_what_is_held_out_are_made_anew(library: Library) -> None:
    files = library.put(encoded(TEXTS, "text"))
    first = library.open(*files).held_out()
    (notes,) = (library.home / "1" / "fetched" / "held-out").iterdir()
    notes.write_bytes(notes.read_bytes()[:-1])
    assert library.open(*files).held_out().equal(first)
