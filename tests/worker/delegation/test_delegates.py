"""What a confined worker may not do itself is done by its delegates, and they can do little else."""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from core.security.confinement.landlock import PORTS_ABI, abi_version
from tests.core.security.confinement.confined_child import run_confined
from tests.support.computer.loopback import serving
from tests.support.confinement.home import attacked_home, encoded, environment, folder_of, ordinary_person
from tests.support.confinement.probes import FETCHER, MAY_P2PD, P2PD, POSSIBLE
from tests.support.environment.fake_hub import ENDPOINT, Hub

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or abi_version() < PORTS_ABI, reason="this kernel confines no connections"
)

CONFINE = """
import contextlib, tempfile
from core.files.temp_folder import temp_folder
from core.protocol.commands import Join
from core.run.multiaddr import Multiaddr
from core.security.address_guard import AddressGuard
from core.security.ip_scope import LOOPBACK
from core.security.verified_download import RefusedError, Remote, UnreachableError
from core.worker.delegation.calls import socket_of
from core.worker.delegation.download_limit import share_download_limit
from core.worker.delegation.network import dial, free_port, own_address
from core.worker.delegation.p2pd_process import stub_command
from core.worker.fetch.fetcher import fetch_rest, open_fetcher
from core.worker.process.confinement import confine_worker, lock_own_folder

home, url, other = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
command = Join(addresses=(Multiaddr("/ip4/127.0.0.1/tcp/1"),), home=str(home))
stack = contextlib.ExitStack()
scratch = stack.enter_context(temp_folder())
tempfile.tempdir = os.environ["TMPDIR"] = str(scratch)
share_download_limit()
keys = lock_own_folder(command)
gaps = confine_worker(command, keys, scratch).gaps
assert "everything" not in gaps
part = home / "fetched" / "part"

def fetched(address, part=part):
    try:
        return list(fetch_rest(Remote(address, 5, ""), part))[-1]
    except (OSError, RefusedError, UnreachableError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
"""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """The address of a file of five bytes on a server of this computer."""
    (tmp_path / "file").write_bytes(b"hello")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=tmp_path))
    with serving(server):
        yield f"http://127.0.0.1:{server.server_address[1]}/file"


@pytest.fixture
def other() -> Iterator[str]:
    """The address of another server of this computer, which answers nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/file"


def delegating(script: str, home: Path, served: str, other: str) -> list[str]:
    """What that script says as a confined worker."""
    return run_confined(CONFINE + script + "\nstack.close()", home, served, other)


def test_files_come_from_the_ports_of_what_was_agreed_to_and_go_where_files_belong(
    tmp_path: Path, served: str, other: str
) -> None:
    script = """
say(fetched(url))
open_fetcher([url], AddressGuard(LOOPBACK))
say(fetched(url), part.read_text())
say(fetched(other, part.with_name("other")))
say(fetched(url, keys.path / "part"))
part.with_name("folder").mkdir()
say(tried(lambda: part.rename(part.with_name("folder") / "whole")))
with contextlib.suppress(ValueError):
    open_fetcher([other], None)
say(fetched(other, part.with_name("other")))
"""
    early, came, elsewhere, in_keys, moved, opened_again = delegating(script, tmp_path, served, other)
    assert early.startswith("ValueError")
    assert came == "5 hello"
    assert elsewhere == opened_again
    assert elsewhere.startswith("RefusedError: it leads to a port")
    assert "Permission denied" in in_keys
    assert moved == "possible"


def test_in_a_public_swarm_no_port_but_the_webs_is_used(tmp_path: Path, served: str, other: str) -> None:
    script = "open_fetcher([url], AddressGuard()); say(fetched(url))"
    assert delegating(script, tmp_path, served, other)[0].startswith("RefusedError: it leads to a port")


def test_others_dial_and_listen_for_a_worker_that_makes_no_internet_sockets(
    tmp_path: Path, served: str, other: str
) -> None:
    script = """
import urllib.parse
port = urllib.parse.urlsplit(other).port
say(tried(lambda: socket.socket(socket.AF_INET)), tried(lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)))
say(sorted(dial([("127.0.0.1", port), ("127.0.0.1", free_port("127.0.0.1", 0, is_shared=True))], 5)))
say(tried(lambda: free_port("127.0.0.1", port, is_shared=True)), own_address("127.0.0.1"))
"""
    assert delegating(script, tmp_path, served, other) == [
        "EPERM EPERM",
        "[(0, 'open'), (1, 'refused')]",
        "EADDRINUSE 127.0.0.1",
    ]


def test_p2pd_runs_in_a_cage_until_it_is_ended_as_hivemind_ends_it(tmp_path: Path, served: str, other: str) -> None:
    script = """
import time
import psutil
place = scratch / "p2p" / "p2pd.sock"
options = [f"-listen=/unix{place}", f"-id={keys.identity_path}", "-hostAddrs=/ip4/127.0.0.1/tcp/0"]
stub = subprocess.Popen([*stub_command(), "p2pd", *options], stdout=subprocess.PIPE, text=True)
said = [stub.stdout.readline() for _ in range(4)]
say(said[1].split(":")[0], place.is_socket())
p2pd = next(each for each in psutil.Process().children(recursive=True) if each.name() == "p2pd")
with socket.socket(socket.AF_UNIX) as line:
    line.connect(str(place))
stub.terminate()
say(stub.wait(30), p2pd.is_running() and p2pd.status() != psutil.STATUS_ZOMBIE)
"""
    assert delegating(script, tmp_path, served, other) == ["Peer ID True", "0 False"]


def test_only_p2pds_parent_takes_its_sockets_and_paces_them(tmp_path: Path, served: str, other: str) -> None:
    """A worker that could take them could read what p2pd and its peers say to each other."""
    script = """
import time
import psutil
from core.security.confinement.system_calls import PIDFD_GETFD
from core.security.confinement.kernel import system_call
from core.worker.delegation.upload_limit import limit_upload

place = scratch / "p2p" / "p2pd.sock"
options = [f"-listen=/unix{place}", f"-id={keys.identity_path}", "-hostAddrs=/ip4/127.0.0.1/tcp/0"]
stub = subprocess.Popen([*stub_command(), "p2pd", *options], stdout=subprocess.PIPE, text=True)
for _ in range(4):
    stub.stdout.readline()
p2pd = next(each for each in psutil.Process().children(recursive=True) if each.name() == "p2pd")
child = subprocess.Popen(["sleep", "60"])
for pid in (p2pd.pid, child.pid):
    say(tried(lambda: system_call(PIDFD_GETFD, os.pidfd_open(pid), 1, 0)))
say(limit_upload(None))
while (state := limit_upload(100_000)) == "free":
    time.sleep(0.01)
say(state)
while (state := limit_upload(None)) != "free":
    time.sleep(0.01)
say(state)
child.kill()
stub.terminate()
stub.wait(30)
"""
    assert delegating(script, tmp_path, served, other) == ["EPERM", "EPERM", "free", "limited", "free"]


def test_a_fetcher_that_has_ended_is_told_in_words(tmp_path: Path, served: str, other: str) -> None:
    script = """
import psutil
from core.errors import UserError
open_fetcher([url], AddressGuard(LOOPBACK))
for each in psutil.Process().children():
    each.kill()
    each.wait()
try:
    say(fetched(url))
except UserError as error:
    say(error.detail)
"""
    assert delegating(script, tmp_path, served, other) == ["The process “fetcher” has ended."]


@pytest.mark.parametrize("name", ["fetcher", "p2pd"])
def test_a_broken_into_delegate_reaches_nothing_of_the_persons(name: str) -> None:
    person = ordinary_person()
    if person is None:
        pytest.skip("no Python that another user may run")
    wanted = {"fetcher": FETCHER, "p2pd": P2PD}[name]
    with folder_of(person) as folder, attacked_home(folder, person) as targets:
        command = person.command("tests.support.confinement.probed_delegates")
        done = subprocess.run(
            command, input=encoded(targets), env=os.environ | environment(), stdout=subprocess.PIPE, timeout=120
        )
        told = {key: value for line in done.stdout.splitlines() for key, value in json.loads(line).items()}
    assert told["gaps"] == []
    assert told[name].keys() == wanted.keys()
    assert {probe for probe, result in told[name].items() if result == POSSIBLE} == set()
    assert MAY_P2PD.isdisjoint(P2PD)


def test_a_hubs_data_set_is_streamed_by_the_fetcher_and_goes_on_where_it_was(
    hub: Hub, tmp_path: Path, served: str, other: str
) -> None:
    table = pa.table({"number": list(range(150)), "image": [bytes([number]) for number in range(150)]})
    file = io.BytesIO()
    parquet.write_table(table, file, row_group_size=50)
    repository = hub.publish("dataset", "somebody/numbers", {"data/train.parquet": file.getvalue()})
    script = """
import msgspec
from core.worker.fetch.fetcher import listed_files, streamed_rows
from core.worker.fetch.hub_listing import ListFiles
from core.worker.fetch.hub_stream import ReadRows, Split

name, revision, library = "somebody/numbers", sys.argv[4], str(home / "fetched" / "library")
open_fetcher([], AddressGuard())
files = tuple(each.name for each in listed_files(ListFiles("dataset", name, revision, True, library)))
split = Split(name, revision, "", "train", "parquet", files, (), library)
wish = ReadRows(split, ("number", "image"), 7)
whole = [row for rows in streamed_rows(wish) for row in rows.rows]
first = next(streamed_rows(wish))
rest = [row for rows in streamed_rows(msgspec.structs.replace(wish, state=first.state)) for row in rows.rows]
say(files, sorted(number for number, _ in whole) == list(range(150)), whole[0][1] == bytes([whole[0][0]]))
say([*first.rows, *rest] == whole, "datasets" in sys.modules)
many = (*files, *(f"data/{number:0200}.parquet" for number in range(20_000)))
split = msgspec.structs.replace(split, names=many)
say(next(streamed_rows(ReadRows(split, ("number",), None))).rows[0])
"""
    said = run_confined(CONFINE + script, tmp_path, served, other, repository.revision, HF_ENDPOINT=ENDPOINT)
    assert said == ["('data/train.parquet',) True True", "True False", "(0,)"]
