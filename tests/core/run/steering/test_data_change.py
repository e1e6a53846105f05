"""Other data take the place of a run's in one epoch for all, from the same hosts and no larger than was agreed to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.errors import UserError
from core.run.manifest import RunManifest, SteeringSpec
from core.run.spec.data import DataSpec, FileAt, HubDataset, HubImages, HubTokenizer, SumsData, TextFiles
from core.run.spec.image_models import ViT
from core.run.spec.language_models import GPT2
from core.run.spec.recipe import CausalLM, ImageClassification
from core.run.steering.control_value import (
    MAX_CONTROL_BYTES,
    ControlValue,
    Order,
    control_in,
    is_edited,
    sign_control,
)
from core.run.steering.data_change import MAX_DATA_BYTES, data_at, data_error, latest_data
from core.run.steering.edit import MOST_EDITS, numbers_of, with_epochs, with_numbers
from core.security.identity import Identity
from tests.support.real_peers import tiny

NOW = 2_000_000_000.0
SIZE = 1000
_NUMBERS: dict[str, Any] = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
TEXT = CausalLM(config=GPT2(vocab_size=258, max_position_embeddings=32, **_NUMBERS), sequence_length=16)
IMAGES = ImageClassification(config=ViT(image_size=16, patch_size=4, num_labels=2, **_NUMBERS))
HUB = HubDataset(repository="ada/texts", revision=40 * "a")
PICTURES = HubImages(repository="ada/pictures", revision=40 * "a", class_names=("bee", "ship"))


def text(*urls: str, size: int = SIZE, **options: Any) -> TextFiles:
    """Files of that size each."""
    files = tuple(FileAt(url=url, sha256=64 * "0", size_bytes=size) for url in urls)
    return TextFiles(files=files, **({"format": "text"} | options))


BEES = text("https://host.example.org/bees.txt")
SHIPS = text("https://host.example.org/more/ships.txt")


def run(data: DataSpec, /, recipe: Any = TEXT, **steering: Any) -> RunManifest:
    """A run that learns from these, which may become twice as large."""
    allowed = SteeringSpec(**({"max_change": 2.0, "data": True} | steering))
    return msgspec.structs.replace(tiny(), recipe=recipe, data=data, steering=allowed)


RUN = run(BEES)
CONTROL = ControlValue(run_id=RUN.run.id)


@pytest.mark.parametrize(
    ("manifest", "data", "error"),
    [
        (RUN, BEES, ""),
        (RUN, SHIPS, ""),
        (RUN, text("https://host.example.org:443/a.txt", "https://host.example.org/b.txt"), ""),
        (RUN, text("https://HOST.example.org/a.jsonl", format="json-lines", column="words"), ""),
        (RUN, text("https://host.example.org/a.txt", size=2 * SIZE), ""),
        (RUN, text("https://host.example.org/a.txt", size=2 * SIZE + 1), "its files may have 2 times as many bytes"),
        (RUN, text("https://other.example.org/a.txt"), "https://other.example.org/a.txt is not of a host"),
        (RUN, text("https://host.example.org/a.txt", "https://a.example.org/"), "https://a.example.org/ is not of a"),
        (RUN, text("https://host.example.org:8443/a.txt"), "https://host.example.org:8443/a.txt is not of a host"),
        (RUN, text("http://host.example.org/a.txt"), "http://host.example.org/a.txt is not of a host"),
        (RUN, msgspec.structs.replace(SHIPS, held_out_one_in=2), "data.held_out_one_in stays"),
        (
            RUN,
            msgspec.structs.replace(SHIPS, tokenizer=HubTokenizer(repository="ada/words", revision=40 * "a")),
            "data.tokenizer stays",
        ),
        (RUN, HUB, "data stay of the kind that they are"),
        (RUN, SumsData(), "sums cannot be exchanged"),
        (run(BEES, data=False), SHIPS, "the data may not be exchanged while this run goes on"),
        (run(BEES, max_change=1.0), SHIPS, ""),
        (run(HUB), HubDataset(repository="ada/texts", revision=40 * "b", split="more", column="words"), ""),
        (run(HUB), HubDataset(repository="ada/diaries", revision=40 * "a"), "data.repository stays"),
        (run(PICTURES, IMAGES), msgspec.structs.replace(PICTURES, split="test"), ""),
        (run(PICTURES, IMAGES), msgspec.structs.replace(PICTURES, class_names=("a", "b")), "data.class_names stays"),
        (run(PICTURES, IMAGES), msgspec.structs.replace(PICTURES, label_column="age"), "data.label_column stays"),
        (tiny(), SumsData(digits=3), "sums cannot be exchanged"),
    ],
)
def test_nobody_reads_what_volunteers_have_not_agreed_to(manifest: RunManifest, data: DataSpec, error: str) -> None:
    found = str(data_error(manifest, data))
    assert found.startswith(error) if error else not found, found


def test_a_change_of_more_files_than_a_control_value_takes_is_refused() -> None:
    long = [f"https://host.example.org/{'a' * 300}/{number}" for number in range(60)]
    assert f"at most {MAX_DATA_BYTES} are allowed" in str(data_error(RUN, text(*long, size=1)))


def exchanged(control: ControlValue, data: TextFiles, epoch: int, come_to: int = 0) -> ControlValue:
    """The next value, with these data from that epoch on, as is signed for a run that has ``come_to`` another."""
    following = control.exchanged(data, RUN, NOW, come_to)
    return msgspec.structs.replace(following, data_changes=with_epochs(following.data_changes, epoch))


def test_each_epoch_has_its_own_data_and_a_rollback_voids_those_that_begin_later() -> None:
    control = exchanged(exchanged(CONTROL, SHIPS, 5), BEES, 9)
    held = [data_at(RUN, control.data_changes, epoch) for epoch in (0, 4, 5, 8, 9, 100)]
    assert held == [BEES, BEES, SHIPS, SHIPS, BEES, BEES]
    back = control.rolled_back(7, 64 * "a", NOW).data_changes
    assert [data_at(RUN, back, epoch) for epoch in (4, 5, 100)] == [BEES, SHIPS, SHIPS]
    assert not control.rolled_back(4, 64 * "a", NOW).data_changes


def test_data_that_wait_for_their_epoch_hold_nowhere_and_are_replaced() -> None:
    waiting = CONTROL.exchanged(SHIPS, RUN, NOW)
    assert data_at(RUN, waiting.data_changes, 100) == BEES and latest_data(RUN, waiting.data_changes) == SHIPS
    assert [each.data for each in waiting.exchanged(BEES, RUN, NOW).data_changes] == [BEES]


def test_a_change_means_nothing_for_a_run_file_with_other_data() -> None:
    changes = exchanged(CONTROL, SHIPS, 5).data_changes
    other = text("https://host.example.org/letters.txt")
    assert data_at(run(other), changes, 100) == other
    assert data_at(run(BEES, max_change=4.0), changes, 100) == SHIPS


def large() -> TextFiles:
    """As many files as one change may name, almost."""
    return text(*(f"https://host.example.org/{'a' * 60}/{number}" for number in range(40)), size=1)


def test_the_last_changes_are_kept_as_far_as_a_signed_value_takes_them(tmp_path: Path) -> None:
    identity = Identity.load_or_create(tmp_path / "identity.key")
    assert not data_error(RUN, large())
    small, full = CONTROL, CONTROL
    for epoch in range(2 * MOST_EDITS):
        small, full = exchanged(small, SHIPS, epoch, epoch), exchanged(full, large(), epoch, epoch)
        full = full.edited(numbers_of(RUN), numbers_of(RUN), NOW, epoch)
        full = msgspec.structs.replace(full, edits=with_epochs(full.edits, epoch))
    assert len(small.data_changes) == MOST_EDITS and 2 <= len(full.data_changes) < MOST_EDITS
    assert full.data_changes[-1].from_epoch == 2 * MOST_EDITS - 1
    full = full.ordered(Order(reason=300 * "ü"), NOW).noticed(500 * "ü", NOW).requiring("0.2.0", NOW)
    full = full.rolled_back(100, 64 * "a", NOW)
    signed = sign_control(full, identity)
    assert len(signed) <= MAX_CONTROL_BYTES and control_in(signed, identity.peer_id, RUN.run.id) == full


def test_the_data_that_hold_never_give_way_to_such_as_wait() -> None:
    """Who heard of the waiting ones would else go back to those of the run file until they begin."""
    control = exchanged(exchanged(exchanged(CONTROL, large(), 5), large(), 20), SHIPS, 21)
    with pytest.raises(UserError, match="Ask again when epoch 21 has begun"):
        exchanged(control, large(), 40, come_to=19)
    later = exchanged(control, large(), 40, come_to=20)
    assert data_at(RUN, later.data_changes, 20) == large() and data_at(RUN, later.data_changes, 21) == SHIPS


def test_a_run_file_with_the_data_of_the_last_change_is_no_other_run() -> None:
    control = exchanged(CONTROL, SHIPS, 5)
    newer = msgspec.structs.replace(RUN, data=SHIPS, revision=7)
    assert is_edited(newer, RUN, control)
    assert not is_edited(newer, RUN, CONTROL) and not is_edited(RUN, RUN, control)
    slower = msgspec.structs.replace(numbers_of(RUN), learning_rate=0.0005)
    assert not is_edited(with_numbers(newer, slower), RUN, control)
    assert is_edited(with_numbers(newer, slower), RUN, control.edited(slower, numbers_of(RUN), NOW))
