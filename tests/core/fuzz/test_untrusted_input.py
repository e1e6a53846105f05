"""What strangers can send to the words of the house: damaged, absurd or endless, it is refused, and soon."""

from __future__ import annotations

import contextlib
import io
import json
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.cli.output.json_lines import print_event
from core.client.reducer import reduce
from core.client.session import Session
from core.errors import ErrorKind, UserError
from core.protocol.codec import MAX_LINE_BYTES, decode_command, decode_event, encode
from core.protocol.commands import DryRun, Join
from core.protocol.events import AnyEvent, Failed, FitMeasured, Left
from core.run.address import MAX_CHARACTERS, JoinAddress, UnreadableAddress
from core.run.manifest import MAX_MANIFEST_BYTES, RunManifest, decode_manifest
from core.run.multiaddr import Multiaddr
from core.run.run_file import MAX_RUN_FILE_BYTES, parse_run_file, template
from core.run.run_file_errors import MOST_MISTAKES
from core.run.signed_manifest import SignedManifest
from core.security.identity import Identity
from core.security.sanitize import sanitize_line, sanitize_text, short_id
from tests.support.hypothesis_profile import (
    ANYTHING,
    MIB,
    NUMBERS,
    ODD_TEXT,
    damaged,
    memory_below,
    tables,
    tried,
)
from tests.support.peers.fake_worker import manifest, progress
from tests.support.peers.hostile_records import sign_bytes

ORGANISER = Identity.create()
SIGNED = SignedManifest.sign(manifest(), ORGANISER)
PLAIN: dict[str, Any] = msgspec.to_builtins(manifest())
ADDRESS = JoinAddress((Multiaddr(f"/ip4/203.0.113.5/tcp/31337/p2p/{ORGANISER.peer_id}"),), "sums")


# Manifests


@tried(400)
@given(damaged(SIGNED.to_bytes()))
def test_no_damage_to_a_signed_manifest_goes_unnoticed(encoded: bytes) -> None:
    with pytest.raises(UserError):
        opened = SignedManifest.from_bytes(encoded).opened()
        assert opened != manifest(), "the same manifest is not a forgery"


def test_every_single_bit_of_a_signed_manifest_counts() -> None:
    encoded = SIGNED.to_bytes()
    for at in range(len(encoded)):
        bad = bytearray(encoded)
        bad[at] ^= 1 << at % 8
        with pytest.raises(UserError):
            SignedManifest.from_bytes(bytes(bad)).opened()


def with_values(values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """The manifest with a few of its fields changed to those values."""
    places = [(section, name) for section, table in PLAIN.items() if isinstance(table, dict) for name in table]
    changes = st.dictionaries(st.sampled_from([*places, ("", "format"), ("", "revision")]), values, min_size=1)

    def changed(values: dict[tuple[str, str], Any]) -> dict[str, Any]:
        plain = json.loads(json.dumps(PLAIN))
        for (section, name), value in values.items():
            (plain[section] if section else plain)[name] = value
        return plain  # type: ignore[no-any-return]

    return changes.map(changed)


@tried(300)
@given(with_values(NUMBERS | ODD_TEXT | ANYTHING))
@example(PLAIN | {"format": -(10**30)})
def test_what_an_organiser_signs_is_refused_or_can_be_told(plain: dict[str, Any]) -> None:
    try:
        opened = sign_bytes(json.dumps(plain).encode(), ORGANISER).opened()
    except UserError as error:
        assert error.problem in (ErrorKind.MANIFEST_REFUSED, ErrorKind.MANIFEST_TOO_NEW)
    else:
        assert opened.format == 1
        assert decode_manifest(msgspec.json.encode(opened)) == opened
        line = encode(Join(addresses=(), home="", manifest=opened))
        assert len(line) < MAX_LINE_BYTES
        assert decode_command(line)


@pytest.mark.parametrize("filling", [b"[", b'{"a":', b'"', b"7", b"[1,", b'{"format":'], ids=repr)
def test_a_manifest_of_nothing_but_brackets_is_refused_in_little_memory(filling: bytes) -> None:
    encoded = (filling * MAX_MANIFEST_BYTES)[:MAX_MANIFEST_BYTES]
    with memory_below(4 * MIB), pytest.raises(UserError):
        sign_bytes(encoded, ORGANISER).opened()


# Protocol lines


FIT = FitMeasured(device="cpu", micro_batch=4, samples_per_second=31.0, memory_bytes=10**9)
LINES = st.sampled_from(
    [
        *(encode(event) for event in (progress(10), Left(), FIT)),
        encode(Join(addresses=ADDRESS.peers, home="/")),
        encode(DryRun(manifest=manifest(), device="cpu")),
    ]
)


@tried(300)
@given(LINES.flatmap(damaged))
@example(b'{"x":' + b"[" * 100_000)
@example(b'{"event":"left","contributed_samples":' + b"7" * 5000 + b"}")
def test_a_damaged_line_is_refused_or_means_something_else(line: bytes) -> None:
    for decode in (decode_event, decode_command):
        with contextlib.suppress(msgspec.MsgspecError), memory_below(4 * MIB):
            decode(line)


@tried(200)
@given(ODD_TEXT)
def test_whatever_words_are_sent_a_line_arrives(text: str) -> None:
    sent = Failed(problem="internal", detail=text)
    received = decode_event(encode(sent))
    assert isinstance(received, Failed)
    assert str(received.detail) == text.encode("utf-8", "replace").decode()


WILD_NUMBERS = st.integers(0, 2**63) | st.sampled_from([0, 10**30, 10**400])
WILD_PROGRESS = st.builds(
    lambda **wild: msgspec.structs.replace(progress(10), **wild),
    epoch=WILD_NUMBERS,
    samples=WILD_NUMBERS,
    my_samples=WILD_NUMBERS,
    contributed_samples=WILD_NUMBERS,
)


@tried(200)
@given(st.lists(WILD_PROGRESS, max_size=6))
def test_no_number_that_can_be_told_breaks_the_picture(story: list[AnyEvent]) -> None:
    session = Session(phase="training", is_worker_running=True)
    for event in story:
        with contextlib.suppress(msgspec.MsgspecError):
            session = reduce(session, decode_event(encode(event)))
    assert session.last_share is None or 0 <= session.last_share <= 1


@tried(200)
@given(ODD_TEXT)
@example("\x9b2J\u202e\x7f")
def test_no_line_of_json_moves_the_terminal(text: str) -> None:
    event = Failed(problem="internal", detail=text)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        print_event(event)
    line = printed.getvalue()
    assert json.loads(line) == json.loads(encode(event))
    assert decode_event(line.encode()) == decode_event(encode(event))
    assert not any("\x7f" <= each <= "\x9f" or each in "\u200e\u202a\u202e\u2066\u2028" for each in line)
    assert line.count("\n") == 1


# Pasted text


@tried(60)
@given(st.lists(st.sampled_from([*"/:.,;=&%?-[]'\"@ \n\x1b", *("ip4", "p2p", "workerbee:", "Qm1")]), max_size=6))
def test_no_text_however_long_keeps_anybody_waiting(pieces: list[str]) -> None:
    unit = "".join(pieces) or "x"
    for text in ((unit * MAX_CHARACTERS)[:MAX_CHARACTERS], ADDRESS.link + unit * (60_000 // len(unit))):
        with contextlib.suppress(UnreadableAddress), memory_below(32 * MIB):
            JoinAddress.parse(text)


@tried(300)
@given(damaged(ADDRESS.link.encode()))
def test_a_damaged_link_is_another_address_or_none(encoded: bytes) -> None:
    with contextlib.suppress(UnreadableAddress):
        address = JoinAddress.parse(encoded.decode("utf-8", "replace"))
        assert JoinAddress.parse(address.link) == address


# Run files


def refusal(text: str) -> str:
    """What is said of a run file, in little memory."""
    with memory_below(64 * MIB), pytest.raises(UserError) as raised:
        parse_run_file(text)
    return str(raised.value.detail)


def repeat_to_limit(unit: str) -> str:
    """As much of it as a run file may have."""
    return unit * (MAX_RUN_FILE_BYTES // len(unit))


@pytest.mark.parametrize(
    "text",
    [
        template().replace("layers = 2", "layers = 0x" + "F" * 50_000),
        "format = 0x" + "F" * 50_000 + "\n" + template(),
        "layers = " + "9" * 50_000,
        template().replace("layers = 2", "layers" + ".a" * 12 + " = " + ("{a" + ".a" * 12 + "=") * 90 + "1" + "}" * 90),
    ],
    ids=["hexadecimal", "format", "decimal", "tower of tables"],
)
def test_a_number_or_a_tower_that_cannot_be_written_out_is_a_mistake_like_any_other(text: str) -> None:
    assert len(refusal(text)) < 1000


@pytest.mark.parametrize(
    "text",
    [
        "a" + repeat_to_limit(".a") + "=1",
        "[a" + repeat_to_limit(' . "\\""') + "]",
        repeat_to_limit("a.") + "b.c=1\nx=1",
    ],
    ids=["of letters", "of quotes", "a header"],
)
def test_a_key_of_thousands_of_parts_is_refused_before_it_is_read(text: str) -> None:
    assert "A key has more than 16 parts (at line 1)" in refusal(text[:MAX_RUN_FILE_BYTES])


def test_of_thousands_of_mistakes_the_first_are_told() -> None:
    unknown = "".join(f"colour{n}=1\n" for n in range(8_000))
    for text in (unknown, template().replace("layers = 2", unknown)):
        told = refusal(text).splitlines()
        assert len(told) == MOST_MISTAKES + 1
        assert told[-1] == "There are more."


def test_a_field_of_a_hundred_kilobytes_does_not_hide_the_others() -> None:
    told = refusal(template().replace("layers = 2", "x" * 100_000 + " = 1\nlayers = 99")).splitlines()
    assert max(map(len, told)) < 500
    assert "[recipe] layers = 99: must be at most 24." in told


@tried(60)
@given(
    st.lists(
        st.sampled_from(
            [*"[]{}=.,#'\"\\\n a1-_+:", "a.b", "0x1", "1e1", "'''", '"""', "[[a]]\n", "a={b=1}\n", "a=1\n"]
        ),
        min_size=1,
        max_size=5,
    )
)
def test_no_run_file_however_long_keeps_anybody_waiting(pieces: list[str]) -> None:
    refusal(repeat_to_limit("".join(pieces)))


@tried(200)
@given(damaged(template().encode()))
def test_a_damaged_run_file_is_another_run_or_a_mistake(encoded: bytes) -> None:
    with contextlib.suppress(UserError):
        told = parse_run_file(encoded.decode("utf-8", "replace"))
        assert isinstance(told, RunManifest)


# What people see


@tried(300)
@given(st.text() | ODD_TEXT | tables(ODD_TEXT).map(str))
def test_harmless_words_stay_as_they_are(text: str) -> None:
    for make_harmless in (sanitize_line, sanitize_text, short_id):
        once = make_harmless(text)
        assert make_harmless(once) == once
        assert once.encode("utf-8").decode() == once
