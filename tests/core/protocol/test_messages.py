"""The worker protocol: one JSON object a line, and nothing but what both sides know."""

from __future__ import annotations

import base64
import contextlib
import json
import math
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ErrorKind
from core.localizable import LocalizedText
from core.protocol.codec import MAX_LINE_BYTES, decode_command, decode_event, encode
from core.protocol.commands import AnyCommand, DryRun, Evaluation, Export, Join, Leave, Publish, Push, Start
from core.protocol.events import AnyEvent, Evaluated, Failed, Hello, Progress, RunFound
from core.protocol.examples import MAX_SIDE, Picture, Solved
from core.protocol.experts import MOST_EXPERTS, ExpertSeen, ExpertsSeen
from core.run.manifest import RunInfo, RunManifest
from core.run.multiaddr import Multiaddr
from core.run.signed_receipts import Epoch, KeyText, Record, Samples
from core.run.signed_scores import Score
from core.run.spec.collaboration import Collaboration
from core.run.spec.recipe import ArithmeticGPT
from core.schema import Count
from tests.support.consents import NO_DIGEST
from tests.support.peers.fake_worker import manifest, progress
from tests.support.peers.sample_addresses import NOWHERE

EXAMPLES: tuple[AnyCommand, ...] = (
    Join(addresses=(NOWHERE,), home="/nowhere", port=31337, manifest=manifest()),
    Start(run_id="sums", organiser="", digest=NO_DIGEST, device="cuda:1", threads=4),
    Publish(manifest=manifest(), home="/nowhere", listen=(Multiaddr("/ip4/0.0.0.0/tcp/0"),), train=False),
    DryRun(manifest=manifest(), device="cuda:0", memory_limit_bytes=6 * 10**9),
    Export(
        manifest=manifest(),
        home="/nowhere",
        checkpoint="/nowhere/checkpoint.safetensors",
        folder="/nowhere/model",
        epoch=7,
        evaluations=(Evaluation(epoch=7, loss=0.5),),
    ),
    Push(folder="/nowhere/model", repository="somebody/adder", message="Epoch 7", token_file="/nowhere/hub_token"),
    Start(run_id="sums", organiser="", digest=NO_DIGEST, device="cpu", micro_batch=4, memory_limit_bytes=0),
    Start(run_id="words", organiser="", digest=NO_DIGEST, device="cpu", role="host", hosted_experts=2),
    Leave(),
)


@pytest.mark.parametrize("command", EXAMPLES, ids=lambda command: type(command).__name__)
def test_a_command_arrives_as_it_was_sent(command: AnyCommand) -> None:
    assert decode_command(encode(command)) == command


@pytest.mark.parametrize("kind", get_args(AnyEvent), ids=lambda kind: kind.__name__)
def test_every_kind_of_event_arrives_as_it_was_sent(kind: type[msgspec.Struct]) -> None:
    event = _example(kind)
    assert decode_event(encode(event)) == event  # type: ignore[arg-type]


def _example(kind: type[msgspec.Struct]) -> msgspec.Struct:
    """An event of that kind with the least that it must say."""
    values: dict[str, object] = {"manifest": manifest(), "mode": "client", "kind": "state", "state": "alone"}
    values["direction"] = "upload"
    by_type: dict[object, object] = {
        int: 3,
        Count: 3,
        float: 0.5,
        float | None: None,
        str: "words",
        bool: True,
        LocalizedText: LocalizedText("in %1", ("words",)),
        Score: Score(epoch=3, loss=0.5, at=0.5),
        KeyText: "0" * 32,
        Samples: 3,
        Epoch: 3,
        Record: b"signed",
    }
    fields = [field for field in msgspec.structs.fields(kind) if field.required]
    return kind(**{field.name: values.get(field.name, by_type.get(field.type, ())) for field in fields})


def test_the_names_on_the_pipe_are_the_designs() -> None:
    line = json.loads(encode(Hello(protocol=1, version="0.1.0")))
    assert line == {"event": "hello", "protocol": 1, "version": "0.1.0"}
    assert json.loads(encode(Leave())) == {"command": "leave"}
    names = {
        "epoch",
        "samples",
        "target",
        "samples_per_second",
        "swarm_samples_per_second",
        "peers",
        "clients",
    }
    assert {"event", "loss", *names} <= set(json.loads(encode(progress(10))))


def test_a_message_is_one_line_whatever_it_says() -> None:
    line = encode(Failed(problem="internal", detail="one\ntwo\r\nthree\u2028four\0"))
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"hello",
        b'{"event": "hello", "protocol": 1, "version": "0.1.0", "mood": "sunny"}',
        b'{"event": "hello", "protocol": "1", "version": "0.1.0"}',
        b'{"event": "hullo", "protocol": 1, "version": "0.1.0"}',
        b'{"event": "left"} {"event": "left"}',
        b'{"command": "leave"}',
        b'{"event": "failed", "problem": "\xff"}',
    ],
)
def test_what_is_no_event_is_refused(line: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        decode_event(line)


def test_a_command_outside_the_bounds_is_refused() -> None:
    many = Join(addresses=(NOWHERE,) * 65, home="/nowhere")
    with pytest.raises(msgspec.ValidationError):
        decode_command(encode(many))


@pytest.mark.parametrize("micro_batch", [0, -1, 10**7])
def test_a_micro_batch_outside_the_bounds_is_refused(micro_batch: int) -> None:
    with pytest.raises(msgspec.ValidationError):
        decode_command(
            encode(Start(run_id="sums", organiser="", digest=NO_DIGEST, device="cpu", micro_batch=micro_batch))
        )


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_line_however_odd_raises_anything_else(line: bytes) -> None:
    for decode in (decode_command, decode_event):
        with contextlib.suppress(msgspec.MsgspecError):
            decode(line)


def test_a_loss_that_is_no_number_crosses_as_unknown() -> None:
    event = msgspec.structs.replace(progress(10), loss=math.nan)
    decoded = decode_event(encode(event))
    assert isinstance(decoded, Progress)
    assert decoded.loss is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"experts": (ExpertSeen(layer=0, number=0),) * (MOST_EXPERTS + 1)},
        {"experts": (ExpertSeen(layer=24, number=0),)},
        {"experts": (ExpertSeen(layer=0, number=0, host="x" * 129),)},
        {"experts": (ExpertSeen(layer=0, number=0, latency_seconds=-1.0),)},
        {"experts": (), "found_share": 1.1},
        {"experts": (), "sent_tokens_per_second": -1.0},
    ],
)
def test_experts_outside_the_bounds_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        decode_event(encode(ExpertsSeen(**wrong)))


def test_as_many_experts_as_an_event_may_tell_of_fit_on_a_line() -> None:
    expert = ExpertSeen(layer=23, number=1023, host="x" * 128, is_mine=True, tokens=2**63 - 1, steps=2**63 - 1)
    event = ExpertsSeen(experts=(expert,) * MOST_EXPERTS, sent_tokens_per_second=math.nan, found_share=1.0)
    line = encode(event)
    assert len(line) < MAX_LINE_BYTES
    assert decode_event(line) == msgspec.structs.replace(event, sent_tokens_per_second=None)


def test_the_largest_manifest_fits_on_a_line() -> None:
    run = RunInfo(id="x" * 64, name="名" * 120, description="名" * 8000, notice="名" * 500)
    largest = RunManifest(
        run=run,
        recipe=ArithmeticGPT(),
        collaboration=Collaboration(target_batch_size=1000, batch_size_per_step=10),
    )
    line = encode(RunFound(manifest=largest, organiser="12D3KooWx", vouched=True))
    assert len(line) < MAX_LINE_BYTES
    assert decode_event(line)


def test_every_problem_crosses_the_pipe_by_its_key() -> None:
    assert [ErrorKind.from_key(problem.key) for problem in ErrorKind] == list(ErrorKind)


def test_a_problem_of_a_newer_worker_is_an_internal_one() -> None:
    assert ErrorKind.from_key("moon_in_the_way") is ErrorKind.INTERNAL


def test_sums_and_their_answers_cross_the_pipe() -> None:
    event = Evaluated(epoch=1, loss=0.5, accuracy=0.9, examples=(Solved(text="17+25=42", correct=True),))
    assert decode_event(encode(event)) == event


def picture(side: int, size: int) -> bytes:
    """An event as a worker would write it, with a picture of that side and of so many bytes."""
    rgb = base64.b64encode(bytes(size)).decode()
    shown = f'{{"text":"red","correct":true,"picture":{{"side":{side},"rgb":"{rgb}"}}}}'
    return f'{{"event":"evaluated","epoch":1,"loss":0.5,"accuracy":0.9,"examples":[{shown}]}}'.encode()


def test_a_picture_crosses_the_pipe_as_it_is() -> None:
    shown = Picture(side=MAX_SIDE, rgb=bytes(range(256)) * 12)
    solved = Solved(text="red", correct=True, question="red", answer="red", picture=shown)
    event = Evaluated(epoch=1, loss=0.5, accuracy=0.9, examples=(solved,) * 16)
    assert decode_event(encode(event)) == event
    assert len(encode(event)) < MAX_LINE_BYTES / 10
    assert decode_event(picture(2, 12)) != decode_event(picture(1, 3))


@pytest.mark.parametrize(
    ("side", "size"), [(33, 33 * 33 * 3), (0, 0), (2, 11), (2, 13), (32, 4000), (10**9, 12), (-1, 3)]
)
def test_a_picture_that_is_too_large_or_no_square_is_refused(side: int, size: int) -> None:
    with pytest.raises(msgspec.ValidationError):
        decode_event(picture(side, size))
