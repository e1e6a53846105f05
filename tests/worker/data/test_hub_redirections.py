"""Where a hub leads to: pages of a listing and the storage of large files are followed, another protocol never."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import ErrorKind, UserError
from core.worker.fetch.fetcher import listed_files
from core.worker.fetch.file_store import FileStore
from core.worker.fetch.hub_files import fetch_model
from core.worker.fetch.hub_listing import ListFiles
from tests.support.checkout import ROOT
from tests.support.environment.fake_hub import ENDPOINT, PAGE_ENTRIES, STORAGE, Hub, Repository
from tests.support.environment.update_server import certificate_for_loopback, serving_notices
from tests.support.recorders import RecordingListener
from tests.worker.data.test_hostile_data_sets import read_some
from tests.worker.data.test_hub_datasets import in_lines, in_parquet
from tests.worker.data.test_hub_files import MODEL, WEIGHTS

TEXTS = [f"Document {number}." for number in range(200)]
LISTS = """
import sys
from core.worker.fetch.hub_listing import ListFiles, list_files
list_files(ListFiles("model", "somebody/small", "0" * 40, False, sys.argv[1]))
"""
ELSEWHERE = ["file:///etc/hostname", "ftp://127.0.0.1/secret", "http://127.0.0.1:x/"]


def fetched(repository: Repository, home: Path) -> Path:
    return fetch_model(repository.name, repository.revision, FileStore(home), RecordingListener())


def listing_of(repository: Repository, home: Path) -> list[str]:
    """The names of its files; raises ValueError."""
    request = ListFiles(repository.kind, repository.name, repository.revision, True, str(home))
    return [file.name for file in listed_files(request)]


def test_a_listing_of_several_pages_is_read_to_its_end(hub: Hub, tmp_path: Path) -> None:
    names = [f"data/{number:02}.jsonl" for number in range(4 * PAGE_ENTRIES)]
    repository = hub.publish("dataset", "somebody/many", dict.fromkeys(names, b"{}"))
    assert listing_of(repository, tmp_path) == names
    assert len(hub.asked(f"/tree/{repository.revision}")) == 5, "a folder is an entry, too"


def test_large_files_come_from_the_storage_and_go_on_there_after_a_cut(hub: Hub, tmp_path: Path) -> None:
    repository = hub.publish("model", "somebody/small", MODEL)
    hub.cuts = [1_000_000]
    assert (fetched(repository, tmp_path) / "model.safetensors").read_bytes() == WEIGHTS
    assert [asked["Host"] for asked in hub.stored] == [STORAGE.removeprefix("http://")] * 2
    assert [asked.get("Range") for asked in hub.stored] == [None, "bytes=1000000-"]


def test_a_stream_comes_from_the_storage(hub: Hub, tmp_path: Path) -> None:
    assert "Document" in read_some(
        hub.publish("dataset", "somebody/texts", {"train.parquet": in_parquet(TEXTS)}), tmp_path
    )
    assert hub.stored


@pytest.mark.parametrize("target", ELSEWHERE)
def test_a_file_is_fetched_over_no_other_protocol(hub: Hub, tmp_path: Path, target: str) -> None:
    repository = hub.publish("model", "somebody/led-astray", MODEL)
    hub.redirections["/model.safetensors"] = target
    with pytest.raises(UserError) as refused:
        fetched(repository, tmp_path)
    assert refused.value.problem is ErrorKind.FILES_REFUSED
    assert len(hub.asked("/model.safetensors")) == 1, "asked once, not again and again"


@pytest.mark.parametrize("target", [*ELSEWHERE, f"{ENDPOINT}/circle"], ids=[*ELSEWHERE, "in a circle"])
def test_a_listing_that_leads_elsewhere_is_refused_at_once(hub: Hub, tmp_path: Path, target: str) -> None:
    repository = hub.publish("model", "somebody/led-astray", MODEL)
    hub.redirections |= {f"/tree/{repository.revision}": target, "/circle": f"{ENDPOINT}/circle"}
    with pytest.raises(UserError) as refused:
        fetched(repository, tmp_path)
    assert refused.value.problem is ErrorKind.FILES_REFUSED


@pytest.mark.parametrize("target", ELSEWHERE)
def test_a_stream_that_leads_elsewhere_is_refused_at_once(hub: Hub, tmp_path: Path, target: str) -> None:
    repository = hub.publish("dataset", "somebody/led-astray", {"train.jsonl": in_lines(TEXTS)})
    hub.redirections["/train.jsonl"] = target
    with pytest.raises(UserError) as refused:
        read_some(repository, tmp_path)
    assert refused.value.problem is ErrorKind.FILES_REFUSED


def test_a_listing_never_leaves_tls(hub: Hub, tmp_path: Path) -> None:
    certificate = certificate_for_loopback(tmp_path / "server.pem")
    with serving_notices(certificate) as safe:
        safe.leads_to = f"{ENDPOINT}/api"
        address = safe.address.removesuffix("/latest.json")
        variables = os.environ | {"PYTHONPATH": str(ROOT), "HF_ENDPOINT": address, "SSL_CERT_FILE": str(certificate)}
        command = [sys.executable, "-P", "-c", LISTS, str(tmp_path)]
        done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=60, check=False)
    assert "ValueError: it redirects from https to http" in done.stderr
    assert hub.requests == []
