"""Hosts and a trainer of experts that are long to send: ``ROLE FOLDER LISTEN [ADDRESS…]``. They say lines of JSON.

A ``host`` says its address, and whenever that changes what it answers for and of what it keeps copies, by their steps.
A ``trainer`` asks all experts for the same few tokens again and again, forward and backward, once all have a host: it
says how long each step took and how much of what it sent was answered.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch

from core.run.spec.experts import ExpertsSpec
from core.worker.experts.block import ExpertId, ExpertShape
from core.worker.experts.calls import ExpertInput
from core.worker.process import process_tree
from core.worker.swarm.experts.announcements import nobody
from core.worker.swarm.experts.caller import ExpertCaller
from core.worker.swarm.experts.handover import longest_state
from core.worker.swarm.experts.host import ExpertHost
from tests.support.learning.entered_host import RUN_ID, entered_host
from tests.support.peers.state_peers import entered, say

HIDDEN, TOKENS = 256, 16
SPEC = ExpertsSpec(experts=3, batch_tokens=TOKENS, max_wait_seconds=5.0)
EXPERTS = [ExpertId(1, number) for number in range(SPEC.experts)]
STATE_BYTES = longest_state(ExpertShape.of(SPEC, HIDDEN))
"""Of an expert: about six million."""
STEP_SECONDS = 0.2  # at least
TOLD_SECONDS = 0.1  # between two looks at what a host has


def be_host(folder: Path, listen: str, addresses: Sequence[str], upload: float | None) -> None:
    """Host a share of the experts; that is its upload in bits a second, as far as it knows."""
    swarm, host = entered_host(folder, listen, addresses, EXPERTS, HIDDEN, SPEC)
    if upload is not None:
        host.know_upload(upload)
    say(address=str(swarm.addresses()[0]))
    threading.Thread(target=tell_holdings, args=(host,), daemon=True).start()
    host.run()


def tell_holdings(host: ExpertHost) -> None:
    """Say what it has, whenever that changes."""
    last: object = None
    while True:
        steps = {each.id: each.steps for each in list(host.experts.values())}
        if (told := (list(steps), dict(host.copies))) != last:
            last = told
            say(at=time.monotonic(), hosted=named(steps), copies=named(host.copies))
        time.sleep(TOLD_SECONDS)


def named(steps: Mapping[ExpertId, int]) -> dict[str, int]:
    """The same by numbers of experts as JSON has them."""
    return {str(expert.number): count for expert, count in steps.items()}


def be_trainer(folder: Path, listen: str, addresses: Sequence[str]) -> None:
    """Ask all experts again and again."""
    caller = ExpertCaller(entered(folder, listen, addresses, "client"), RUN_ID, EXPERTS, HIDDEN, nobody)
    threading.Thread(target=caller.run, daemon=True).start()
    while len({caller.directory.host_of(each) for each in EXPERTS} - {None}) < len(EXPERTS):
        time.sleep(TOLD_SECONDS)
        caller.look()
    while True:
        began = time.monotonic()
        tokens = torch.randn(TOKENS, HIDDEN)
        forward = caller.forward([ExpertInput(each, tokens, None) for each in EXPERTS])
        backward = caller.backward([ExpertInput(each, tokens, None, tokens) for each in EXPERTS])
        seconds = time.monotonic() - began
        answers = [*forward, *backward]
        say(at=began, seconds=seconds, answered=sum(each is not None for each in answers) / len(answers))
        time.sleep(max(0.0, STEP_SECONDS - seconds))


def main(role: str, folder: Path, listen: str, upload: str, addresses: Sequence[str]) -> None:
    """Be one of them."""
    folder.mkdir(parents=True, exist_ok=True)
    if role == "host":
        be_host(folder, listen, addresses, float(upload) or None)
    else:
        be_trainer(folder, listen, addresses)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
    process_tree.setup_fork_handling()
    torch.set_num_threads(1)
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4], sys.argv[5:])
