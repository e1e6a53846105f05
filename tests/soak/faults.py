"""How each kind of fault begins and ends."""

from __future__ import annotations

import time
from collections.abc import Callable

from core.protocol.events import TrainingStarted
from tests.soak.peers import Member, NoSuchPartError, Suffered
from tests.soak.plan import Fault, Kind
from tests.support.environment.network_namespaces import Host


def begin(fault: Fault, member: Member) -> Suffered | None:
    """Do it; ``None`` where there was nothing that it could be done to."""
    if revive(member):
        return None
    suffered = Suffered(fault.kind, began=time.monotonic())  # before anybody can have noticed
    try:
        _BEGINNINGS[fault.kind](member)
    except NoSuchPartError:
        return None
    member.suffered.append(suffered)
    return suffered


def end(suffered: Suffered, member: Member) -> None:
    """It is over: from now on the member may help again."""
    if suffered.kind in _ENDS:
        _ENDS[suffered.kind](member)
    suffered.ended = time.monotonic()


def revive(member: Member) -> bool:
    """Whoever has ended though nobody has ended it: that is a surprise, and it is started again."""
    if not member.is_gone():
        return False
    code = member.now.process.returncode
    member.surprises.append(f"{member.name} had ended by itself, with exit code {code}")
    _come_back(member)
    return True


def _come_back(member: Member) -> None:
    member.see_it_gone()
    member.start()


def _come_back_from_a_pause(member: Member) -> None:
    member.leave()
    member.start()


def _training(member: Member) -> Member:
    """Who is only joining gives up without a line, as it should."""
    if not any(isinstance(each.event, TrainingStarted) for each in list(member.now.said)):
        raise NoSuchPartError("training")
    return member


def _host(member: Member) -> Host:
    assert member.place.host is not None, "lines are only cut where there are any"
    return member.place.host


_BEGINNINGS: dict[Kind, Callable[[Member], None]] = {
    "pause": lambda member: member.ask_to_leave(),
    "worker killed": lambda member: member.kill_part("worker"),
    "p2pd killed": lambda member: member.kill_part("p2pd"),
    "dht killed": lambda member: member.kill_part("dht"),
    "averager killed": lambda member: member.kill_part("averager"),
    "client killed": lambda member: member.kill(),
    "power cut": lambda member: member.kill_all(),
    "line cut": lambda member: _host(_training(member)).unplug(),
    "sleep": lambda member: _training(member).sleep(),
}
_ENDS: dict[Kind, Callable[[Member], None]] = {
    "pause": _come_back_from_a_pause,
    "client killed": _come_back,
    "power cut": _come_back,
    "line cut": lambda member: _host(member).plug_in(),
    "sleep": lambda member: member.wake(),
}
