"""Who stores a report under a key downloads nobody's reports for that (H72)."""

from __future__ import annotations

from functools import partial

import pytest
from hivemind import DHT
from hivemind.dht.node import DHTNode
from hivemind.p2p import PeerID

from core.worker.swarm.patches.monotonic_clock import steady_time
from core.worker.swarm.patches.value_free_searches import search_beside_keys
from tests.worker.progress.dht_nodes import answers, count_answers, dht_nodes, patient_node

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


@pytest.mark.real
def test_the_holders_are_looked_for_anew_where_a_nearer_node_is_heard_of_or_one_of_them_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(DHTNode, "find_nearest_nodes", DHTNode.find_nearest_nodes)
    search_beside_keys()

    def searches_of_a_store(number: int) -> int:
        """How many answers it has brought that are no stores."""
        before: int = nodes[-1].run_coroutine(answers)["all"]
        assert nodes[-1].store(KEY, number, steady_time() + 60.0 + number, subkey="first")
        after: int = nodes[-1].run_coroutine(answers)["all"]
        return after - before

    with dht_nodes(3) as nodes:
        nodes[-1].run_coroutine(count_answers)
        assert [searches_of_a_store(number) > 0 for number in range(3)] == [True, False, False]
        newcomer = patient_node(nodes[-1].get_visible_maddrs())
        try:
            assert searches_of_a_store(3) > 0
            found = newcomer.get(KEY, latest=True)
            assert found is not None and {key: each.value for key, each in found.value.items()} == {"first": 3}
            assert searches_of_a_store(4) == 0
            nodes[-1].run_coroutine(partial(_fail, holder=nodes[0].peer_id))
            assert searches_of_a_store(5) > 0
        finally:
            newcomer.shutdown()


async def _fail(_dht: DHT, node: DHTNode, holder: PeerID) -> None:
    """That holder has just not answered."""
    node.blacklist.register_failure(holder)
