"""What a run may name as its data: addresses, hashes and repositories of strangers, with bounds."""

from __future__ import annotations

from io import StringIO

import msgspec
import pytest
from rich.console import Console

from core.cli.output.run_review import show_run
from core.protocol.events import RunFound
from core.run.run_file import load_run_file
from core.run.spec.data import KEPT_BYTES, MAX_FILES, DataSpec, FileAt, HubDataset, TextFiles, hosts_of
from tests.support.checkout import ROOT

EXAMPLE = ROOT / "examples" / "tiny-gpt2-from-scratch.toml"
HASH = "0" * 64
REVISION = "a" * 40


def file_at(url: str, size_bytes: int = 1000) -> FileAt:
    return FileAt(url=url, sha256=HASH, size_bytes=size_bytes)


def read(**fields: object) -> DataSpec:
    """As it comes out of a run file."""
    return msgspec.convert(fields, DataSpec)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "url",
    ["https://example.org/a.txt", "http://192.0.2.7:8080/a/b.parquet?download=1", "http://[2001:db8::1]/a"],
)
def test_addresses_of_the_web_are_accepted(url: str) -> None:
    assert file_at(url).url == url


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("file:///etc/passwd", "must begin with http"),
        ("ftp://example.org/a", "must begin with http"),
        ("https:///a.txt", "and a host"),
        ("https://ada:secret@example.org/a", "no name and no password"),
        ("https://example.org/a b", "no spaces"),
        ("https://example.org/a\r\nHost: evil", "no spaces"),
        ("https://exämple.org/a", "ASCII"),
        ("https://example.org/a#b", "no part after #"),
        ("https://example.org:99999/a", "Port"),
        ("https://[::1/a", "IPv6"),
    ],
)
def test_what_is_no_such_address_is_refused_with_the_reason(url: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        file_at(url)


@pytest.mark.parametrize(
    "wrong",
    [
        {"repository": "alone"},
        {"repository": "../etc"},
        {"repository": "a/b/c"},
        {"revision": "main"},
        {"revision": REVISION[:-1]},
        {"split": "train[:10]"},
        {"column": "a/b"},
        {"held_out_one_in": 1},
        {"trust_remote_code": True},
        {"tokenizer": "words"},
        {"tokenizer": {"repository": "a/b", "revision": "main"}},
    ],
)
def test_a_data_set_is_a_repository_at_a_commit_and_nothing_else(wrong: dict[str, object]) -> None:
    right: dict[str, object] = {"kind": "hub", "repository": "ada/numbers", "revision": REVISION}
    assert isinstance(read(**right), HubDataset)
    with pytest.raises(msgspec.ValidationError):
        read(**{**right, **wrong})


@pytest.mark.parametrize(
    "wrong",
    [
        {"files": []},
        {"files": [{"url": "https://example.org/a", "sha256": HASH, "size_bytes": 1}] * 65},
        {"files": [{"url": "https://example.org/a", "sha256": HASH.upper() + "G", "size_bytes": 1}]},
        {"files": [{"url": "https://example.org/a", "sha256": HASH, "size_bytes": 0}]},
        {"files": [{"url": "https://example.org/a", "size_bytes": 1}]},
        {"format": "pickle"},
    ],
)
def test_files_have_a_hash_a_size_and_a_known_format(wrong: dict[str, object]) -> None:
    files = [{"url": "https://example.org/a", "sha256": HASH, "size_bytes": 1}]
    right: dict[str, object] = {"kind": "text-files", "files": files, "format": "text"}
    assert isinstance(read(**right), TextFiles)
    with pytest.raises(msgspec.ValidationError):
        read(**{**right, **wrong})


def test_of_many_files_only_some_are_kept_and_of_a_large_one_all() -> None:
    large = file_at("https://example.org/a", KEPT_BYTES)
    assert TextFiles(files=(large,) * 3, format="text").kept_bytes == KEPT_BYTES
    larger = file_at("https://example.org/a", 2 * KEPT_BYTES)
    assert TextFiles(files=(large, larger), format="text").kept_bytes == 2 * KEPT_BYTES
    small = file_at("https://example.org/a")
    assert TextFiles(files=(small, small), format="text").kept_bytes == 2000


def test_the_hosts_are_named_each_once_and_all_of_them() -> None:
    files = [file_at(f"https://{host}/a") for host in ("a.org", "b.org", "a.org")]
    assert hosts_of(TextFiles(files=tuple(files), format="text")) == ("a.org", "b.org")
    many = [file_at(f"https://{number}.org/a") for number in range(MAX_FILES)]
    assert len(hosts_of(TextFiles(files=tuple(many), format="text"))) == MAX_FILES


def shown(data: DataSpec) -> str:
    """What somebody reads in a terminal before agreeing."""
    manifest = msgspec.structs.replace(load_run_file(EXAMPLE), data=data)
    console = Console(file=StringIO(), width=200)
    show_run(console, RunFound(manifest=manifest, organiser="", vouched=False))
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_whoever_agrees_has_read_where_the_text_comes_from() -> None:
    files = (file_at("https://a.org/1", 1_000_000), file_at("https://b.org/2", 2_000_000))
    assert "2 files of 3.0 MB from a.org, b.org" in shown(TextFiles(files=files, format="text"))
    assert "the data set ada/numbers of the hub, as a stream" in shown(
        HubDataset(repository="ada/numbers", revision=REVISION)
    )
