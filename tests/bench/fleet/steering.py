"""How soon eight volunteers obey what an organiser asks of all, while they and the organiser are restarted."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from core.files.folders import DataFolder
from core.files.locks import PeerFiles
from core.protocol.events import RunFound
from core.run.steering.control_value import Order, OrderState
from core.run.steering.kept_control import ask_control, asked_control
from tests.bench.table import NO_FIGURE, Row, own_row
from tests.support.real_peers import RUN_ID, Peer, PeerGroup, peer_group

VOLUNTEERS = 8
ORDERS: tuple[OrderState, ...] = ("paused", "running") * 2
MAX_SECONDS = 60.0


@dataclass(frozen=True)
class Steered:
    """Seconds from each order to the last volunteer that had obeyed it, and how many obeyed none within a minute."""

    seconds: list[float] = field(default_factory=list)
    missed: int = 0


def steered(folder: Path) -> Steered:
    """Pause and resume a run; with each order a volunteer is away, and with the third its organiser, too."""
    seconds, missed = list[float](), 0
    with peer_group(folder / "steering") as group:
        organiser = group.organiser()
        posted, peer_id = organiser.posted, organiser.peer_id
        volunteers = [_volunteer(group, posted, number) for number in range(VOLUNTEERS)]
        for number, state in enumerate(ORDERS):
            away = number % VOLUNTEERS
            volunteers[away].leave()
            here = [0 if index == away else len(each.said) for index, each in enumerate(volunteers)]
            began, since = time.monotonic(), time.time()
            _order(organiser.home, peer_id, state, since)
            volunteers[away] = _volunteer(group, posted, away)
            if number == 2:
                organiser.leave()
                organiser = group.organiser(listen=(posted.rpartition("/p2p/")[0],))
            for index, told in enumerate(here):
                if not _obeys(volunteers[index], told, state, since, MAX_SECONDS - (time.monotonic() - began)):
                    volunteers[index] = _volunteer(group, posted, index)  # as its client does whose worker has ended
                    missed += not _obeys(volunteers[index], 0, state, since, MAX_SECONDS - (time.monotonic() - began))
            seconds.append(time.monotonic() - began)
    return Steered(seconds, missed)


def _volunteer(group: PeerGroup, posted: str, number: int) -> Peer:
    """Every other one only connects outwards."""
    return group.volunteer(posted, f"volunteer-{number}", "client" if number % 2 else "direct")


def _order(home: Path, peer_id: str, state: OrderState, since: float) -> None:
    """As `workerbee steer` does."""
    files = PeerFiles(DataFolder(home / "data").organiser_of(RUN_ID))
    ask_control(files, asked_control(files, peer_id, RUN_ID).ordered(Order(state=state, since=since), since))


def _obeys(volunteer: Peer, told: int, state: OrderState, since: float, seconds: float) -> bool:
    """Whether it follows that order within so many seconds; it says so once it does."""

    def is_it(found: RunFound) -> bool:
        return found.order.state == state and found.order.since >= since

    try:
        volunteer.wait_for(RunFound, is_it, since=told, seconds=max(seconds, 1.0))
    except AssertionError:
        return False
    return True


def steering_row(measured: Steered | None) -> Row:
    """The slowest order, and how many volunteers missed one."""
    what = f"an order signed → obeyed by {VOLUNTEERS} volunteers, who and whose organiser are restarted meanwhile"
    if measured is None or not measured.seconds:
        return own_row(what, NO_FIGURE, f"≤ {MAX_SECONDS:.0f} s, none missed", None)
    slowest = max(measured.seconds)
    ours = f"{slowest:.0f} s, {measured.missed} of {VOLUNTEERS * len(measured.seconds)} missed"
    return own_row(what, ours, f"≤ {MAX_SECONDS:.0f} s, none missed", slowest <= MAX_SECONDS and not measured.missed)
