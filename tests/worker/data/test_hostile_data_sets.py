"""A data set that tries to send the library elsewhere: what it names is not even asked for, and it ends in words."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import ErrorKind, UserError
from core.run.spec.data import HubDataset
from core.worker.data import open_blocks
from core.worker.fetch.file_store import FileStore
from tests.support.computer.loopback import serving
from tests.support.environment.fake_hub import Hub, Repository
from tests.support.environment.home_network import FtpServer, WebServer
from tests.support.recorders import RecordingListener
from tests.worker.data.test_hub_datasets import TEXTS, end, in_lines, in_parquet


@pytest.fixture
def router() -> Iterator[WebServer]:
    """A web server in the volunteer's own network."""
    server = WebServer()
    with serving(server):
        yield server


@pytest.fixture
def ftp() -> Iterator[FtpServer]:
    """An FTP server in the volunteer's own network."""
    server = FtpServer()
    with serving(server):
        yield server


def read_some(repository: Repository, home: Path) -> str:
    """What a run learns from that data set; raises UserError."""
    data = HubDataset(repository=repository.name, revision=repository.revision, held_out_one_in=10)
    blocks = open_blocks(data, sequence_length=32, seed=1, store=FileStore(home), listener=RecordingListener())
    try:
        return "".join(blocks.text(row) for row in blocks.draw(20))
    finally:
        end(blocks)


def card_with(place: str) -> str:
    return f"configs:\n- config_name: default\n  data_files:\n  - split: train\n    path: '{place}'\n"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        (".huggingface.yaml", "# a comment\n", ""),
        (".huggingface.yaml", "\n \n# a comment\n---\n", ""),
        ("README.md", "---\n---x: 1\n", "\n---\n"),
        ("README.md", "\n\n---\r\n", "\r\n---"),
        ("README.md", "---\n", "\n---\n"),
    ],
)
@pytest.mark.parametrize("scheme", ["http", "ftp", "zip", "file"])
def test_a_card_cannot_send_anybody_into_the_own_network(
    hub: Hub,
    tmp_path: Path,
    router: WebServer,
    ftp: FtpServer,
    name: str,
    before: str,
    after: str,
    scheme: str,
) -> None:
    secret = tmp_path / "diary.txt"
    secret.write_text("My diary. " * 1000)
    place = {
        "http": f"http://{router.host}/reboot.txt?drive.google.com",
        "ftp": f"ftp://{ftp.host}/secret.txt",
        "zip": f"zip://a.txt::http://{router.host}/a.zip",
        "file": f"file://{secret}",
    }[scheme]
    card = f"{before}{card_with(place)}{after}".encode()
    repository = hub.publish("dataset", "somebody/nosy", {"train.jsonl": in_lines(TEXTS), name: card})
    with pytest.raises(UserError, match="which is not in the repository") as refused:
        read_some(repository, tmp_path / "home")
    assert refused.value.problem is ErrorKind.FILES_REFUSED
    assert router.asked == [] and ftp.commands == []


def test_a_file_whose_name_is_another_place_is_not_opened(
    hub: Hub, tmp_path: Path, router: WebServer, ftp: FtpServer
) -> None:
    files = {
        "train.jsonl": in_lines(TEXTS),
        f"train/x::ftp://{ftp.host}/a.jsonl": in_lines(["secret"]),
        f"train/x::http://{router.host}/a.jsonl": in_lines(["secret"]),
        "README.md": f"---\n{card_with('**')}---\n".encode(),
    }
    assert "Document" in read_some(hub.publish("dataset", "somebody/names", files), tmp_path)
    assert router.asked == [] and ftp.commands == []


def archive_with(member: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(member, in_lines(["secret"]))
    return file.getvalue()


@pytest.mark.parametrize("name", ["train.zip", "train.jsonl", "train.txt", "train.jsonl.gz"])
def test_no_archive_is_opened_whatever_it_is_called(
    hub: Hub, tmp_path: Path, router: WebServer, ftp: FtpServer, name: str
) -> None:
    files = {name: archive_with(f"x::ftp://{ftp.host}/a.jsonl::y.jsonl")}
    try:
        learned = read_some(hub.publish("dataset", "somebody/packed", files), tmp_path)
    except UserError as refused:
        assert refused.problem is ErrorKind.FILES_REFUSED
    else:
        assert name == "train.txt" and "PK" in learned, "it is read as the text that it is called"
    assert router.asked == [] and ftp.commands == []


def with_damage(content: bytes, start: int) -> bytes:
    """That file with 64 other bytes from there on."""
    return content[:start] + b"\xff" * 64 + content[start + 64 :]


@pytest.mark.parametrize(
    "files",
    [
        {"train.jsonl": b'{"text": "a"}\n{"text": '},
        {"train.json": b"\xff\xfe\x00"},
        {"train.jsonl.gz": gzip.compress(in_lines(TEXTS))[:-40]},
        {"train.jsonl.gz": b"no gzip at all"},
        {"train.jsonl.zst": b"\x28\xb5\x2f\xfd nothing"},
        {"train.jsonl.xz": b"nothing"},
        {"train.jsonl.bz2": b"nothing"},
        {"train.parquet": b"PAR1 nothing PAR1"},
        {"train.parquet": with_damage(in_parquet(TEXTS), 200)},
        {"train.parquet": with_damage(in_parquet(TEXTS), len(in_parquet(TEXTS)) // 2)},
        {"train.csv": b'text\n"' + b"a" * 100},
        {"train.csv": b"\x00\xff\x00"},
    ],
)
def test_whatever_the_library_raises_ends_in_words(hub: Hub, tmp_path: Path, files: dict[str, bytes]) -> None:
    with pytest.raises(UserError) as refused:
        read_some(hub.publish("dataset", "somebody/broken", files), tmp_path)
    assert refused.value.problem is ErrorKind.FILES_REFUSED


def test_a_compressed_file_is_read(hub: Hub, tmp_path: Path) -> None:
    files = {"train.jsonl.gz": gzip.compress(in_lines(TEXTS))}
    assert "Document" in read_some(hub.publish("dataset", "somebody/small", files), tmp_path)
