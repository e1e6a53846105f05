"""Who stores a report under a key downloads nobody's reports for that (H72)."""

from __future__ import annotations

import pytest
from hivemind.dht.node import DHTNode

from core.worker.swarm.patches.monotonic_clock import steady_time
from core.worker.swarm.patches.value_free_searches import search_beside_keys
from tests.worker.progress.dht_nodes import answers, count_answers, dht_nodes

KEY = "sums_progress"


@pytest.mark.real
def test_a_report_is_stored_with_everybody_and_nobody_sends_the_others_reports_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(DHTNode, "find_nearest_nodes", DHTNode.find_nearest_nodes)  # as it was, once the test is over
    search_beside_keys()
    with dht_nodes(4) as nodes:
        assert nodes[0].store(KEY, 1, steady_time() + 60.0, subkey="first")
        nodes[3].run_coroutine(count_answers)
        assert nodes[3].store(KEY, 2, steady_time() + 60.0, subkey="second")
        counted = nodes[3].run_coroutine(answers)
        assert counted["all"] > 0 and counted["with a value"] == 0
        assert nodes[3].store(KEY, 3, steady_time() + 61.0, subkey="second")
        assert nodes[3].run_coroutine(answers) == counted  # the nodes that hold it are known for a while
        for node in nodes:
            found = node.get(KEY, latest=True)
            assert found is not None and {key: each.value for key, each in found.value.items()} == {
                "first": 1,
                "second": 3,
            }
