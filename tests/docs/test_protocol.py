"""What resources/docs/protocol.md says of records and messages, against the types that write and read them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from core.files.documents import FOLDER
from core.run.steering.rollback import swarm_id
from core.worker.swarm.dht import run_records
from core.worker.swarm.dht.run_records import PROGRESS, RecordKind
from core.worker.swarm.local_sgd.group_agreement import Told
from core.worker.swarm.patches.delta_stores import Delta

PROTOCOL = (FOLDER / "protocol.md").read_text("utf-8")
KINDS = [each for each in vars(run_records).values() if isinstance(each, RecordKind) and each is not PROGRESS]
NUMBERS = {4: "four", 7: "seven"}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.key_end)
def test_the_row_of_a_signed_record_names_its_fields_and_how_long_it_lives(kind: RecordKind[Any]) -> None:
    rows = [line for line in PROTOCOL.splitlines() if line.startswith(f"| `<run id>_{kind.key_end}`")]
    assert len(rows) == 1, rows
    assert f"| {kind.lifetime_seconds:.0f} s |" in rows[0]
    if kind.key_end != "workerbee_nearby":  # whose only field is told in words
        assert [name for name in kind.model.__fields__ if f"`{name}`" not in rows[0]] == []


def test_the_names_of_a_swarm_with_local_sgd_are_those_of_the_page() -> None:
    name = swarm_id("RUN", "local-sgd", None).replace("RUN", "<run id>")
    assert set(re.findall(r"<run id>~ls\d+", PROTOCOL)) == {name}


def test_what_a_member_tells_its_group_and_a_delta_have_as_many_fields_as_the_page_says() -> None:
    assert f"a tuple of\n{NUMBERS[len(Told.__struct_fields__)]}:" in PROTOCOL
    assert f"an array of {NUMBERS[len(Delta.__struct_fields__)]}:" in PROTOCOL
