"""Text from a hub's data sets, streamed by the real library from a hub on loopback."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from core.errors import ErrorKind, UserError
from core.run.spec.data import HubDataset, HubTokenizer
from core.worker.data import Blocks, Images, open_blocks
from core.worker.delegation import download_limit
from core.worker.delegation.download_limit import DownloadBudget
from core.worker.fetch.file_store import FileStore
from core.worker.fetch.hub_stream import ReadRows, Split, read_rows
from tests.support.environment.fake_hub import Hub, Repository, local_hub
from tests.support.recorders import RecordingListener

TEXTS = [f"Document {number} says {number * number}." for number in range(600)]
ONCE_THROUGH = sum(len(text) + 1 for text in TEXTS) // 32  # in blocks


def in_parquet(texts: list[str], rows_in_a_group: int = 150) -> bytes:
    file = io.BytesIO()
    table = pa.table({"id": list(range(len(texts))), "text": texts})
    parquet.write_table(table, file, row_group_size=rows_in_a_group)
    return file.getvalue()


def in_lines(texts: list[str]) -> bytes:
    return "\n".join(json.dumps({"text": text}) for text in texts).encode()


PARQUET = {
    "README.md": b"---\nlicense: mit\n---\n# Numbers",
    "data/train-00000-of-00002.parquet": in_parquet(TEXTS[:300]),
    "data/train-00001-of-00002.parquet": in_parquet(TEXTS[300:]),
    "data/test-00000-of-00001.parquet": in_parquet(["Only for tests."]),
}


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[list[Blocks]]:
    """Whatever is opened in a test, to be closed after it."""
    blocks: list[Blocks] = []
    yield blocks
    end(*blocks)


def end(*opened: Blocks | Images) -> None:
    """Wait for their threads, too: a library that is asking something does not survive Python's own end."""
    for blocks in opened:
        blocks.close()
    for thread in threading.enumerate():
        if thread.name == "reading ahead":
            thread.join(60)


class Reader:
    """Opens data sets of one hub, each peer with a folder of its own."""

    def __init__(self, home: Path, opened: list[Blocks]) -> None:
        self._home, self._opened = home, opened

    def open(
        self, repository: Repository, *, seed: int = 1, listener: RecordingListener | None = None, **more: object
    ) -> Blocks:
        spec = {"repository": repository.name, "revision": repository.revision, "held_out_one_in": 10}
        data = HubDataset(**{**spec, **more})  # type: ignore[arg-type]
        store = FileStore(self._home / f"{seed}")
        blocks = open_blocks(data, sequence_length=32, seed=seed, store=store, listener=listener or RecordingListener())
        self._opened.append(blocks)
        return blocks


@pytest.fixture
def reader(tmp_path: Path, opened: list[Blocks]) -> Reader:
    return Reader(tmp_path, opened)


def text_of(blocks: Blocks, count: int) -> str:
    return "".join(blocks.text(row) for row in blocks.draw(count))


def documents_in(text: str) -> set[str]:
    """The whole documents among what was drawn."""
    return {each for each in TEXTS if each in text}


@pytest.mark.parametrize(
    "files", [PARQUET, {"train.jsonl": in_lines(TEXTS), "test.jsonl": in_lines(["Only for tests."])}]
)
def test_a_split_is_streamed_and_what_is_held_out_is_never_drawn(
    hub: Hub, reader: Reader, files: Mapping[str, bytes]
) -> None:
    blocks = reader.open(hub.publish("dataset", "somebody/numbers", files))
    held_out = documents_in("".join(blocks.text(row) for row in blocks.held_out()))
    drawn = documents_in(text_of(blocks, ONCE_THROUGH))
    assert TEXTS[0] in held_out
    assert 30 < len(held_out) < 120
    assert drawn & held_out == set()
    assert len(drawn | held_out) > 0.99 * len(TEXTS)  # but for those at the edges of blocks


def test_large_rows_come_a_few_at_a_time_and_none_is_lost(hub: Hub, tmp_path: Path) -> None:
    images = [{"bytes": bytes([number]) * 5_000_000, "path": f"{number}.png"} for number in range(9)]
    file = io.BytesIO()
    parquet.write_table(pa.table({"image": images}), file)
    published = hub.publish("dataset", "somebody/large", {"train.parquet": file.getvalue()})
    split = Split(
        published.name, published.revision, "", "train", "parquet", ("train.parquet",), (), str(tmp_path / "library")
    )
    groups = list(read_rows(ReadRows(split, ("image",), None)))
    assert [len(each.rows) for each in groups] == [4, 4, 1]
    assert [image for group in groups for (image,) in group.rows] == images
    rest = read_rows(ReadRows(split, ("image",), None, groups[0].state))
    assert [image["bytes"][0] for group in rest for (image,) in group.rows] == [4, 5, 6, 7, 8]


def test_every_peer_has_an_order_of_its_own_and_the_same_held_out(hub: Hub, reader: Reader) -> None:
    repository = hub.publish("dataset", "somebody/numbers", PARQUET)
    one, other = reader.open(repository, seed=1), reader.open(repository, seed=2)
    assert one.held_out().equal(other.held_out())
    assert text_of(one, 20) != text_of(other, 20)


class CountingBudget(DownloadBudget):
    """One that knows how much has been taken from it."""

    taken = 0

    def paid_at(self, size_bytes: int) -> float:
        self.taken += size_bytes
        return super().paid_at(size_bytes)


def test_what_the_library_reads_of_a_hub_counts_in_the_owners_download_limit(
    hub: Hub, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget = CountingBudget()
    budget.limit = 10**9
    monkeypatch.setattr(download_limit, "_shared", [budget])
    blocks = reader.open(hub.publish("dataset", "somebody/numbers", PARQUET))
    text_of(blocks, ONCE_THROUGH)
    train = sum(len(content) for name, content in PARQUET.items() if "train" in name)
    assert budget.taken > train


def test_the_revision_is_the_one_that_was_asked_for(hub: Hub, reader: Reader) -> None:
    repository = hub.publish("dataset", "somebody/numbers", PARQUET)
    wrong = Repository("dataset", repository.name, {})
    with pytest.raises(UserError, match=r"the hub answers 404") as refused:
        reader.open(wrong)
    assert refused.value.problem is ErrorKind.FILES_REFUSED


def test_another_split_and_another_column_can_be_named(hub: Hub, reader: Reader) -> None:
    repository = hub.publish("dataset", "somebody/numbers", PARQUET)
    assert "Only for tests." in reader.open(repository, split="test").text(
        reader.open(repository, split="test").held_out()[0]
    )
    with pytest.raises(UserError, match="no column “story”"):
        reader.open(repository, column="story")
    with pytest.raises(UserError, match="nothing"):
        reader.open(repository, split="nothing")


def test_a_column_without_text_is_not_read_to_its_end(hub: Hub, reader: Reader) -> None:
    repository = hub.publish("dataset", "somebody/many", {"train.parquet": in_parquet(["", *5 * TEXTS])})
    assert documents_in(text_of(reader.open(repository), 20))
    with pytest.raises(UserError, match="The column “id” holds no text in the first 1000 rows") as refused:
        reader.open(repository, column="id")
    assert refused.value.problem is ErrorKind.FILES_REFUSED


@pytest.mark.slow
def test_a_stream_that_is_cut_goes_on(hub: Hub, reader: Reader) -> None:
    repository = hub.publish("dataset", "somebody/numbers", PARQUET)
    blocks = reader.open(repository)
    hub.cuts = [100, 1000]
    assert len(documents_in(text_of(blocks, ONCE_THROUGH))) > 0.8 * len(TEXTS)
    assert hub.cuts == []


@pytest.mark.slow
def test_a_hub_that_stops_answering_is_told_and_waited_for(reader: Reader) -> None:
    listener = RecordingListener()
    with local_hub() as hub:
        blocks = reader.open(hub.publish("dataset", "somebody/numbers", PARQUET), listener=listener)
    drawn: list[str] = []
    drawing = threading.Thread(target=lambda: drawn.append(text_of(blocks, 100)), daemon=True)
    drawing.start()
    assert listener.has_warned.wait(120)
    assert drawn == []
    with local_hub(hub):
        drawing.join(120)
        end(blocks)
    assert documents_in(drawn[0])


def test_a_format_that_could_run_code_is_refused(hub: Hub, reader: Reader) -> None:
    archive = {"train.tar": b"\0" * 10240}
    with pytest.raises(UserError, match="its format, tar, is none of parquet, json, text, csv"):
        reader.open(hub.publish("dataset", "somebody/archive", archive))


@pytest.mark.parametrize(
    "place",
    [
        "/etc/hostname",
        "../../etc/hostname",
        "http://127.0.0.1:1/secret.txt",
        "zip://a.txt::/home/x.zip",
        "~/x",
    ],
)
def test_a_card_that_names_files_of_this_computer_is_refused(hub: Hub, reader: Reader, place: str) -> None:
    card = f"---\nconfigs:\n- config_name: default\n  data_files:\n  - split: train\n    path: '{place}'\n---\n"
    files = {**PARQUET, "README.md": card.encode()}
    with pytest.raises(UserError, match="which is not in the repository"):
        reader.open(hub.publish("dataset", "somebody/nosy", files))


def test_a_folder_of_this_computer_is_never_taken_for_a_data_set(
    hub: Hub, reader: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = hub.publish("dataset", "somebody/numbers", PARQUET)
    private = tmp_path / "here" / "somebody" / "numbers"
    private.mkdir(parents=True)
    (private / "train.txt").write_text("My diary.")
    monkeypatch.chdir(tmp_path / "here")
    assert "diary" not in text_of(reader.open(repository), ONCE_THROUGH)


def test_a_tokenizer_of_the_hub_is_used(hub: Hub, reader: Reader) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = {word: number for number, word in enumerate(["[END]", "[MASK]", "[UNK]", "Document", "says", "."])}
    library = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    library.pre_tokenizer = pre_tokenizers.Whitespace()
    named = {"eos_token": "[END]", "mask_token": {"content": "[MASK]"}, "tokenizer_class": "Anything"}
    model = {
        "tokenizer.json": library.to_str().encode(),
        "tokenizer_config.json": json.dumps(named).encode(),
    }
    tokenizer = hub.publish("model", "somebody/words", model)
    blocks = reader.open(
        hub.publish("dataset", "somebody/numbers", PARQUET),
        tokenizer=HubTokenizer(repository=tokenizer.name, revision=tokenizer.revision),
    )
    assert (blocks.vocabulary_size, blocks.mask_token) == (6, 1)
    assert set(blocks.draw(4).flatten().tolist()) == {0, 2, 3, 4, 5}
