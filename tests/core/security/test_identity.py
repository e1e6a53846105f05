"""Keys, peer ids and signatures, and the files that keep them."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ErrorKind, UserError
from core.security.identity import Identity, verify
from core.security.peer_id import decode_base58, decode_peer_id, encode_base58, peer_id_of, public_key_of
from core.security.progress_key import load_or_create_progress_key

# libp2p's own examples (specs/peer-ids): an Ed25519 key, and the hash of an RSA key
KNOWN_PUBLIC_KEY = bytes.fromhex("1ed1e8fae2c4a144b8be8fd4b47bf3d3b34b871c3cacf6010f0e42d474fce27e")
KNOWN_PEER_ID = "12D3KooWBtg3aaRMjxwedh83aGiUkwSxDwUZkzuJcfaqUmo7R3pq"
RSA_PEER_ID = "QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N"


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@given(st.binary(max_size=45))
def test_base58_gives_back_what_it_was_given(data: bytes) -> None:
    assert decode_base58(encode_base58(data)) == data


def test_a_peer_id_contains_its_public_key() -> None:
    assert peer_id_of(KNOWN_PUBLIC_KEY) == KNOWN_PEER_ID
    assert public_key_of(KNOWN_PEER_ID) == KNOWN_PUBLIC_KEY
    identity = Identity.create()
    assert identity.peer_id.startswith("12D3KooW")
    assert public_key_of(identity.peer_id) == identity.public_key


def test_a_peer_id_that_is_a_hash_contains_no_key() -> None:
    assert len(decode_peer_id(RSA_PEER_ID)) == 34
    assert public_key_of(RSA_PEER_ID) is None


@pytest.mark.parametrize(
    ("peer_id", "reason"),
    [
        (KNOWN_PEER_ID.replace("B", "0", 1), "contains “0”"),
        (KNOWN_PEER_ID[:-3], "is 49 characters long, and one that begins with 12D3KooW has 52"),
        (RSA_PEER_ID + "x", "is 47 characters long, and one that begins with Qm has 46"),
        ("hello", "contains “l”"),
        ("heo", "is damaged"),
        ("", "is damaged"),
        ("1" * 10_000, "is 10000 characters long"),
    ],
)
def test_a_wrong_peer_id_is_refused_with_the_reason(peer_id: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        decode_peer_id(peer_id)
    assert public_key_of(peer_id) is None


def test_only_the_right_peer_the_right_message_and_the_right_signature_verify() -> None:
    identity, other = Identity.create(), Identity.create()
    signature = identity.sign(b"the run")
    assert verify(identity.peer_id, b"the run", signature)
    assert not verify(identity.peer_id, b"the ruin", signature)
    assert not verify(other.peer_id, b"the run", signature)
    assert not verify(identity.peer_id, b"the run", signature[:-1])
    assert not verify(RSA_PEER_ID, b"the run", signature)
    assert not verify("nobody", b"the run", signature)


def test_an_identity_is_made_once_and_then_kept(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "identity.key"
    made = Identity.load_or_create(path)
    assert Identity.load_or_create(path) == made
    assert mode_of(path) == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["identity.key"], "a temporary file was left"


def test_the_file_is_what_libp2p_reads(tmp_path: Path) -> None:
    identity = Identity.load_or_create(tmp_path / "key")
    stored = (tmp_path / "key").read_bytes()
    assert stored[:4] == bytes.fromhex("08011240")
    assert len(stored) == 68
    public = Ed25519PrivateKey.from_private_bytes(stored[4:36]).public_key().public_bytes_raw()
    assert public == stored[36:] == identity.public_key


def test_a_file_that_others_can_read_is_tightened(tmp_path: Path) -> None:
    made = Identity.load_or_create(tmp_path / "key")
    (tmp_path / "key").chmod(0o644)
    assert Identity.load_or_create(tmp_path / "key") == made
    assert mode_of(tmp_path / "key") == 0o600


@pytest.mark.parametrize("damage", [b"", b"nonsense", "cut", "swapped", "longer"])
def test_a_damaged_identity_is_named_and_never_overwritten(tmp_path: Path, damage: bytes | str) -> None:
    path = tmp_path / "key"
    Identity.load_or_create(path)
    good = path.read_bytes()
    kinds = {"cut": good[:-1], "swapped": good[:36] + Identity.create().public_key, "longer": good + b"\0"}
    damaged = damage if isinstance(damage, bytes) else kinds[damage]
    path.write_bytes(damaged)
    with pytest.raises(UserError, match=str(path)) as raised:
        Identity.load_or_create(path)
    assert raised.value.problem is ErrorKind.IDENTITY_DAMAGED
    assert path.read_bytes() == damaged


def test_a_folder_in_the_place_of_the_identity_is_a_problem_in_words(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=str(tmp_path)) as raised:
        Identity.load_or_create(tmp_path)
    assert raised.value.problem is ErrorKind.IDENTITY_DAMAGED


def test_an_identity_that_cannot_be_stored_is_a_problem_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError) as raised:
        Identity.load_or_create(tmp_path / "file" / "key")
    assert raised.value.problem is ErrorKind.FOLDER_NOT_WRITABLE


def test_two_who_make_it_at_once_agree(tmp_path: Path) -> None:
    together = threading.Barrier(4)
    seen: list[str] = []

    def load() -> None:
        together.wait()
        seen.append(Identity.load_or_create(tmp_path / "key").peer_id)

    threads = [threading.Thread(target=load) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 4
    assert len(set(seen)) == 1


def test_the_secret_is_never_shown() -> None:
    identity = Identity.create()
    shown = f"{identity!r} {identity}"
    secret = identity.to_bytes()[4:36]
    assert secret.hex() not in shown
    assert repr(secret)[2:-1] not in shown


def test_every_peer_has_a_seed_number_of_its_own(tmp_path: Path) -> None:
    identity = Identity.load_or_create(tmp_path / "key")
    assert identity.seed_number == Identity.load_or_create(tmp_path / "key").seed_number
    assert 0 <= identity.seed_number < 2**63
    assert identity.seed_number != Identity.create().seed_number


def test_the_progress_key_is_made_once_and_then_kept(tmp_path: Path) -> None:
    path = tmp_path / "progress.key"
    made = load_or_create_progress_key(path)
    assert load_or_create_progress_key(path) == made == path.read_bytes()
    assert mode_of(path) == 0o600


def test_a_damaged_progress_key_is_named_and_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "progress.key"
    path.write_bytes(os.urandom(100))
    with pytest.raises(UserError, match=str(path)) as raised:
        load_or_create_progress_key(path)
    assert raised.value.problem is ErrorKind.IDENTITY_DAMAGED
    assert path.stat().st_size == 100
