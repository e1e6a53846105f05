"""When the others have gone quiet: what is done about it, step by step, without any network or clock."""

from __future__ import annotations

import pytest

from core.localizable import localized
from core.worker.delegation.network import ProbeResult
from core.worker.network.connection_monitor import (
    AHEAD_POLLS,
    CALM_SECONDS,
    EPOCHS_AHEAD,
    FAILED_PINGS,
    FAILED_ROUNDS,
    POLL_SECONDS,
    QUIET_SECONDS,
    SILENT_PROBES,
    Action,
    ConnectionMonitor,
    DialPeers,
    ListConnections,
    Observation,
    PingPeers,
    ProbeKnownPeers,
    ProbeMissingPeers,
    Restart,
)

HERE, THERE = "/ip4/192.0.2.1/tcp/1/p2p/12D3KooWHere", "/ip4/192.0.2.2/tcp/1/p2p/12D3KooWThere"
HEARD, QUIET = Observation(quiet_seconds=0.0), Observation(quiet_seconds=QUIET_SECONDS)
LEFT = Observation(quiet_seconds=QUIET_SECONDS, others_left_cleanly=True)
NOW = 1000.0


def answers(*results: ProbeResult) -> dict[str, ProbeResult]:
    """What a probe of HERE, and of THERE, has found."""
    return dict(zip((HERE, THERE), results, strict=False))


def search(monitor: ConnectionMonitor, *results: ProbeResult, seen: Observation = QUIET, now: float = NOW) -> object:
    """One poll in which nothing is heard, and what the monitor wants once the known peers are probed."""
    assert monitor.on_observation(seen, now) == ProbeKnownPeers()
    return monitor.on_known_probed(answers(*results), now)


def cut(*, is_first: bool = False) -> ConnectionMonitor:
    """A monitor whose known peers were silent often enough."""
    monitor = ConnectionMonitor(is_first=is_first)
    for _ in range(SILENT_PROBES):
        assert search(monitor, "timeout", "refused") is None
    return monitor


def test_a_peer_that_never_heard_anybody_is_left_alone() -> None:
    monitor = ConnectionMonitor(is_first=False)
    assert monitor.on_observation(Observation(quiet_seconds=None), NOW) is None
    assert (monitor.state, str(monitor.problem)) == ("ok", "")


def test_silence_is_searched_first_and_cut_only_after_several_probes() -> None:
    monitor = ConnectionMonitor(is_first=False)
    for _ in range(SILENT_PROBES - 1):
        assert search(monitor, "timeout") is None
        assert (monitor.state, str(monitor.problem)) == ("searching", "")
    assert search(monitor, "timeout", "refused") is None
    assert monitor.state == "cut"
    assert "none of 2 known addresses answers" in str(monitor.problem)


def test_an_answer_between_silent_probes_starts_the_count_anew() -> None:
    monitor = ConnectionMonitor(is_first=False)
    for _ in range(2 * SILENT_PROBES):
        search(monitor, "timeout")
        assert search(monitor, "open") == PingPeers((HERE,))
    assert monitor.state == "searching"


def test_others_that_are_heard_between_silent_probes_start_the_count_anew() -> None:
    monitor = ConnectionMonitor(is_first=False)
    for hour in range(2 * SILENT_PROBES):
        assert search(monitor, "timeout", now=NOW + 3600 * hour) is None
        assert monitor.state == "searching"
        monitor.on_observation(HEARD, NOW + 3600 * hour + POLL_SECONDS)


def test_a_cut_volunteer_restarts_as_soon_as_somebody_accepts() -> None:
    assert isinstance(search(cut(), "timeout", "open"), Restart)


def test_others_that_are_heard_again_end_the_cut() -> None:
    monitor = cut()
    monitor.on_observation(HEARD, NOW)
    assert (monitor.state, str(monitor.problem)) == ("ok", "")


def test_the_first_peer_goes_on_alone() -> None:
    assert cut_state(is_first=True, seen=QUIET) == "ok"


def test_a_peer_that_heard_goodbyes_goes_on_alone() -> None:
    assert cut_state(is_first=False, seen=LEFT) == "ok"


def cut_state(*, is_first: bool, seen: Observation) -> str:
    """The state after silent probes with calm between them."""
    monitor = ConnectionMonitor(is_first=is_first)
    for number in range(2 * SILENT_PROBES):
        assert search(monitor, "timeout", seen=seen, now=NOW + 2 * number * CALM_SECONDS) is None
    return monitor.state


def test_who_goes_on_alone_is_not_probed_at_every_poll() -> None:
    monitor = ConnectionMonitor(is_first=False)
    search(monitor, "timeout", seen=LEFT)
    assert monitor.on_observation(LEFT, NOW + CALM_SECONDS / 2) is None
    assert monitor.on_observation(LEFT, NOW + CALM_SECONDS) == ProbeKnownPeers()


def ping_in_vain(monitor: ConnectionMonitor) -> Action | None:
    """Somebody accepts, and does not answer our p2pd."""
    assert search(monitor, "open", "timeout") == PingPeers((HERE,))
    return monitor.on_pinged(has_answered=False, now=NOW)


def test_a_volunteer_whose_p2pd_gets_no_answer_restarts() -> None:
    monitor = ConnectionMonitor(is_first=False)
    for _ in range(FAILED_PINGS - 1):
        assert ping_in_vain(monitor) is None
    assert isinstance(ping_in_vain(monitor), Restart)


def test_the_first_peer_never_restarts_for_want_of_an_answer() -> None:
    monitor = ConnectionMonitor(is_first=True)
    assert [ping_in_vain(monitor) for _ in range(2 * FAILED_PINGS)] == [None] * 2 * FAILED_PINGS


def test_an_answer_is_enough_and_gives_the_others_some_time() -> None:
    monitor = ConnectionMonitor(is_first=False)
    search(monitor, "open")
    assert monitor.on_pinged(has_answered=True, now=NOW) is None
    assert monitor.state == "ok"
    assert monitor.on_observation(QUIET, NOW + CALM_SECONDS / 4) is None
    assert monitor.on_observation(QUIET, NOW + CALM_SECONDS) == ProbeKnownPeers()


@pytest.mark.parametrize("is_first", [True, False])
def test_in_company_missing_peers_are_dialled_where_they_accept(is_first: bool) -> None:
    monitor = ConnectionMonitor(is_first=is_first)
    assert monitor.on_observation(HEARD, NOW) == ListConnections()
    assert monitor.on_connections([HERE], [HERE, THERE]) == ProbeMissingPeers((THERE,))
    assert monitor.on_missing_probed({THERE: "open"}) == DialPeers((THERE,))
    assert monitor.on_missing_probed({THERE: "refused"}) is None


def test_nobody_is_probed_who_is_connected_at_another_address() -> None:
    monitor = ConnectionMonitor(is_first=False)
    monitor.on_observation(HEARD, NOW)
    assert monitor.on_connections([HERE.replace("192.0.2.1", "10.0.0.1")], [HERE]) is None


def test_connections_are_listed_every_so_often() -> None:
    monitor = ConnectionMonitor(is_first=False)
    assert monitor.on_observation(HEARD, NOW) == ListConnections()
    assert monitor.on_observation(HEARD, NOW + CALM_SECONDS / 2) is None
    assert monitor.on_observation(HEARD, NOW + CALM_SECONDS) == ListConnections()


def polls(monitor: ConnectionMonitor, seen: Observation, count: int) -> list[Action]:
    """The restarts that so many polls ask for."""
    wanted = (monitor.on_observation(seen, NOW) for _ in range(count))
    return [action for action in wanted if isinstance(action, Restart)]


def gone_on(epochs: int) -> Restart:
    return Restart(localized("This computer had gone on without the others, %1 epochs.", epochs))


def test_a_volunteer_that_went_on_alone_has_diverged_and_restarts() -> None:
    alone = Observation(quiet_seconds=0.0, epochs_ahead=EPOCHS_AHEAD, epochs_alone=EPOCHS_AHEAD)
    monitor = ConnectionMonitor(is_first=False)
    assert polls(monitor, alone, AHEAD_POLLS - 1) == []
    assert polls(monitor, alone, 1) == [gone_on(2)]
    assert monitor.state == "diverged"


def test_who_averages_with_others_gives_ten_minutes_to_one_who_has_come_back_with_an_old_checkpoint() -> None:
    ahead = Observation(quiet_seconds=0.0, epochs_ahead=99, epochs_alone=EPOCHS_AHEAD - 1)
    monitor = ConnectionMonitor(is_first=False)
    assert polls(monitor, ahead, round(600 / POLL_SECONDS) - 1) == []
    assert polls(monitor, ahead, 1) == [gone_on(99)]


def test_one_epoch_ahead_is_the_others_to_catch_up_with() -> None:
    nearly = Observation(quiet_seconds=0.0, epochs_ahead=EPOCHS_AHEAD - 1)
    assert polls(ConnectionMonitor(is_first=False), nearly, 3 * AHEAD_POLLS) == []


def test_rounds_that_are_averaged_with_nobody_are_a_reason_to_restart() -> None:
    monitor = ConnectionMonitor(is_first=False)
    assert polls(monitor, Observation(quiet_seconds=0.0, failed_rounds=FAILED_ROUNDS - 1), 10) == []
    assert polls(monitor, Observation(quiet_seconds=0.0, failed_rounds=FAILED_ROUNDS), 1) != []
    assert monitor.state == "diverged"


def test_the_first_peer_never_diverges_where_it_is_the_run_is() -> None:
    monitor = ConnectionMonitor(is_first=True)
    seen = Observation(quiet_seconds=0.0, epochs_ahead=99, epochs_alone=99, failed_rounds=99)
    assert polls(monitor, seen, 3 * AHEAD_POLLS) == []
    assert monitor.state == "ok"
