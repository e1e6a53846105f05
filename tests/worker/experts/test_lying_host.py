"""A host that answers NaN, huge numbers, another shape, a pickle or nothing: it is not believed, nor asked again."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.worker.swarm.experts.latency import MOST_SECONDS
from tests.support.real_peers import peer_group
from tests.worker.experts.lying_host import HONEST, LIES, NEVER

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(600)]

SPARE_SECONDS = 20.0  # for a computer that does other things, too; who never answers would be waited for longer


def test_no_answer_that_cannot_be_is_used_or_waited_for_and_who_sends_it_is_left_out(tmp_path: Path) -> None:
    with peer_group(tmp_path) as group:
        script = group.script("lying", "tests.worker.experts.lying_host", str(tmp_path / "peers"))
        script.until(lambda said: "done" in said, seconds=400.0)
    told = [said for said in script.said if "lie" in said]
    assert {(said["lie"], said["kind"]) for said in told} == {
        (lie, kind) for lie in (*LIES, NEVER) for kind in ("forward", "backward")
    }
    for said in told:
        is_honest = said["lie"] == HONEST
        assert said["is_used"] == said["is_asked_again"] == is_honest, said
        assert said["seconds"] < MOST_SECONDS + SPARE_SECONDS, said
