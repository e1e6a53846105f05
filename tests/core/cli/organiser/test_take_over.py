"""`publish --succeed`: the key of this computer with which a run is led on, and a run that was taken over before."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from core.cli.commands.organiser.take_over import _bring_key, _taken_over_before
from core.cli.parser.arguments import read_arguments
from core.errors import ErrorKind, UserError
from core.files.folders import DataFolder
from core.files.json_file import JsonFile
from core.files.locks import PeerFiles, lock_peer_folder
from core.run.manifest import RunManifest, SuccessionSpec
from core.run.signed_manifest import SignedManifest
from core.security.identity import Identity
from tests.support.real_peers import RUN_ID, tiny


def named(*keys: str) -> RunManifest:
    """A run whose successors have these keys."""
    return msgspec.structs.replace(tiny(), succession=SuccessionSpec(keys=keys))


def own_key(data: DataFolder) -> Identity:
    """The key of a volunteer on this computer, who is not at work."""
    with lock_peer_folder(data) as folder:
        return Identity.load_or_create(folder.identity_path)


def test_the_key_of_this_computer_that_the_run_names_is_put_beside_the_run(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    key = own_key(data).peer_id
    ours = PeerFiles(data.organiser_of(RUN_ID)).identity_path
    for _ in range(2):
        _bring_key(named(Identity.create().peer_id, key), data)
        assert Identity.load_or_create(ours).peer_id == key and ours.stat().st_mode & 0o777 == 0o600


def test_a_computer_without_such_a_key_or_whose_volunteer_is_at_work_with_it_is_told_so(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    key = own_key(data).peer_id
    with pytest.raises(UserError, match="no key that the run names"):
        _bring_key(named(Identity.create().peer_id), data)
    with lock_peer_folder(data), pytest.raises(UserError, match="leave first"):
        _bring_key(named(key), data)
    other = PeerFiles(data.organiser_of(RUN_ID)).identity_path
    other.parent.mkdir(parents=True)
    published_with = Identity.load_or_create(other).peer_id
    with pytest.raises(UserError, match="no key that the run names"):
        _bring_key(named(key), data)
    assert Identity.load_or_create(other).peer_id == published_with, "no key is ever replaced"


def test_a_run_that_was_taken_over_from_here_is_led_on_by_its_id_and_one_of_ones_own_is_not(tmp_path: Path) -> None:
    data, organiser = DataFolder(tmp_path), Identity.create()
    files = PeerFiles(data.organiser_of(RUN_ID))
    JsonFile[RunManifest](files.manifest_file, RunManifest).write(tiny())
    with pytest.raises(UserError, match="was not taken over"):
        _taken_over_before(RUN_ID, data)
    files.succeeded_file.write_bytes(SignedManifest.sign(tiny(), organiser).to_bytes())
    manifest, succession = _taken_over_before(RUN_ID, data)
    assert (manifest, succession.organiser) == (tiny(), organiser.peer_id)


@pytest.mark.parametrize("words", [["publish"], ["publish", "run.toml", "--succeed", "adder"]])
def test_one_publishes_either_a_run_file_or_a_run_to_take_over(words: list[str]) -> None:
    with pytest.raises(UserError) as refused:
        read_arguments(words, "1.0")
    assert refused.value.problem is ErrorKind.USAGE
