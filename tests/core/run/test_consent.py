"""What a volunteer agrees to is one digest: it changes with all that is computed, downloaded or used."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
import pytest

from core.run.consent import changes_between, consent_digest
from core.run.manifest import (
    AccessSpec,
    EvaluationSpec,
    Requirements,
    RunInfo,
    RunManifest,
    SchedulerSpec,
    SteeringSpec,
    SuccessionSpec,
    decode_manifest,
)
from core.run.spec.collaboration import Collaboration
from core.run.spec.data import SumsData
from core.run.spec.optimizer import SGD, AdamW
from core.run.spec.recipe import ArithmeticGPT
from core.texts.consent import MOST_LINES, changes_since

RUN = RunManifest(
    run=RunInfo(id="sums", name="Sums"),
    recipe=ArithmeticGPT(layers=1, width=32, heads=2),
    collaboration=Collaboration(target_batch_size=1000, batch_size_per_step=10),
)


def changed(**fields: object) -> RunManifest:
    """A later revision with these sections."""
    return msgspec.structs.replace(RUN, revision=2, **fields)


@pytest.mark.parametrize(
    "words",
    [
        RunInfo(id="sums", name="Sums of one digit"),
        RunInfo(id="sums", name="Sums", description="All about it.", homepage="https://example.org"),
        RunInfo(id="sums", name="Sums", notice="A rest on Sunday.", contact="me", license="MIT"),
        RunInfo(id="sums", name="Sums", state="paused"),
    ],
)
def test_what_only_people_read_does_not_count(words: RunInfo) -> None:
    assert consent_digest(changed(run=words)) == consent_digest(RUN)
    assert changes_since(RUN, changed(run=words)) == ()


@pytest.mark.parametrize(
    "trusted",
    [
        {"run": RunInfo(id="sums", name="Sums", keepers=(f"12D3KooW{'K' * 44}",))},
        {"succession": SuccessionSpec(keys=(f"12D3KooW{'K' * 44}",))},
        {"succession": SuccessionSpec(after_seconds=3600)},
    ],
    ids=["keepers", "successors", "silence"],
)
def test_whom_the_organiser_trusts_to_sign_or_to_lead_the_run_on_does_not_count(trusted: dict[str, Any]) -> None:
    """The guide tells organisers that nobody is asked again for that; it changes nothing of what is computed."""
    assert consent_digest(changed(**trusted)) == consent_digest(RUN)
    assert changes_since(RUN, changed(**trusted)) == ()


@pytest.mark.parametrize(
    ("section", "value", "line"),
    [
        ("run", RunInfo(id="other", name="Sums"), "run.id: sums → other"),
        ("recipe", ArithmeticGPT(layers=1, width=64, heads=2), "recipe.width: 32 → 64"),
        ("data", SumsData(digits=5), f"data.digits: {SumsData().digits} → 5"),
        ("optimizer", SGD(), "optimizer.name: adamw → sgd"),
        ("optimizer", AdamW(learning_rate=0.5), "optimizer.learning_rate: 0.001 → 0.5"),
        ("scheduler", SchedulerSpec(warmup_epochs=7), "scheduler.warmup_epochs: 0 → 7"),
        (
            "collaboration",
            Collaboration(target_batch_size=1000, batch_size_per_step=20),
            "collaboration.batch_size_per_step: 10 → 20",
        ),
        ("evaluation", EvaluationSpec(every_epochs=3), "evaluation.every_epochs: 1 → 3"),
        ("steering", SteeringSpec(max_change=2.0), "steering.max_change: 1.0 → 2.0"),
        ("steering", SteeringSpec(data=True), "steering.data: False → True"),
        ("requirements", Requirements(gpu_memory_mib=9), "requirements.gpu_memory_mib: 0 → 9"),
        ("access", AccessSpec(tickets=True), "access.tickets: False → True"),
    ],
)
def test_everything_else_counts_and_is_said(section: str, value: object, line: str) -> None:
    after = changed(**{section: value})
    assert consent_digest(after) != consent_digest(RUN)
    assert line in changes_since(RUN, after)


def test_every_section_of_a_manifest_counts_but_its_revision_and_who_may_lead_the_run_on() -> None:
    """So a section that is added one day is agreed to as well."""
    counted = {change.section for change in changes_between(RUN, _everything_else())}
    assert counted == set(RunManifest.__struct_fields__) - {"format", "revision", "succession"}


def test_what_was_agreed_to_before_there_were_closed_runs_and_other_data_is_agreed_to_still() -> None:
    terms = msgspec.to_builtins(RUN) | {"run": {"id": "sums"}}
    del terms["revision"], terms["succession"], terms["access"], terms["steering"]["data"]
    before = b"workerbee consent 1:" + msgspec.json.encode(terms, order="deterministic")
    assert consent_digest(RUN) == hashlib.sha256(before).hexdigest()


def test_the_digest_survives_the_wire() -> None:
    assert consent_digest(decode_manifest(msgspec.json.encode(RUN))) == consent_digest(RUN)


def test_the_number_of_parameters_is_said_first() -> None:
    lines = changes_since(RUN, changed(recipe=ArithmeticGPT(layers=2, width=64, heads=2)))
    assert lines[0].startswith("Parameters: ")


def test_many_changes_are_counted() -> None:
    assert changes_since(RUN, _everything_else())[-1].startswith("and ")
    assert len(changes_since(RUN, _everything_else())) == MOST_LINES + 1


def _everything_else() -> RunManifest:
    return RunManifest(
        revision=9,
        run=RunInfo(id="other", name="Other"),
        recipe=ArithmeticGPT(layers=3, width=128, heads=4),
        data=SumsData(digits=3),
        optimizer=AdamW(learning_rate=0.5, weight_decay=0.25),
        scheduler=SchedulerSpec(kind="cosine", total_epochs=8, warmup_epochs=1),
        collaboration=Collaboration(target_batch_size=77, batch_size_per_step=7, matchmaking_time=9.0),
        evaluation=EvaluationSpec(every_epochs=3),
        steering=SteeringSpec(max_change=2.0),
        requirements=Requirements(gpu_memory_mib=9, memory_mib=9, disk_mib=9),
        access=AccessSpec(tickets=True),
    )
