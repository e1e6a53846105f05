"""Peers that share a state of local SGD, or want one, and train nothing: ``ROLES FOLDER NUMBERS LISTEN [ADDRESS…]``.

ROLES are joined by commas, and each becomes a process, forked from this one; NUMBERS is how many the model has. They
say lines of JSON: a donor where it is found, the newcomer how many bytes have come, and at last what it has got.

A ``donor`` is honest. A ``liar`` has the same file and sends other bytes; one that is ``hanging`` takes orders and
sends nothing; one that is ``flooding`` sends and never ends; a ``stranger`` has weights of its own, with more steps,
and a ``forger`` with as many steps as the others.
An ``untrained`` one is a newcomer that has no state of the run yet, and offers what it has.
The line of one that is ``measured`` uploads MEASURED bits per second. A ``newcomer`` may have company,
``newcomer-2``; one that is ``newcomer-sure`` knows the root of the donors' weights as if it had been signed.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import time
import traceback
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import torch
import torch._dynamo  # which every peer's first optimizer would import by itself, two seconds of a core each

from core.run.signed_scores import Score
from core.run.spec.collaboration import Collaboration
from core.run.steering.rollback import Rollback
from core.security.identity import Identity
from core.worker.process import process_tree
from core.worker.swarm import Listeners, LocalSgdOptimizer, Swarm, enter_swarm, received_bytes
from core.worker.swarm.local_sgd import state_donor
from core.worker.swarm.state_parts import donor_stream, download, server
from core.worker.swarm.state_parts.messages import PIECE_BYTES, piece
from tests.support.forked.own_locks import make_own_locks

RUN_ID = "state"
EPOCH = 12
SEED, STRANGERS_SEED = 1, 2
STRANGERS_STEPS = 99
SAY_SECONDS = 0.1
OFFER_SECONDS = 60.0  # in which a donor's state is offered, on a computer that does much else
MEASURED = 16e6
QUICK = "quick"  # as the first of ROLES: whoever is silent is lost sooner
TAKEN_BACK = "taken-back"  # the same: the organiser has taken the run back to an epoch before the donors'
ROLLBACK = Rollback(number=1, epoch=EPOCH - 2, at=1.0, sha256="0" * 64)


def say(**told: Any) -> None:
    """In one piece, since others write to the same pipe."""
    os.write(1, json.dumps(told).encode() + b"\n")


def main() -> None:
    """Fork all of them."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
    roles, folder, numbers, listen, *addresses = sys.argv[1:]
    process_tree.setup_fork_handling()
    torch.set_num_threads(1)
    rollback = ROLLBACK if TAKEN_BACK in roles else None
    for number, role in enumerate(each for each in roles.split(",") if each not in (QUICK, TAKEN_BACK)):
        if QUICK in roles:
            make_impatient()
        home = Path(folder) / (role if role.startswith("newcomer") else f"{role}-{number}")
        home.mkdir(parents=True, exist_ok=True)
        if os.fork() == 0:
            live(role, home, int(numbers), listen, tuple(addresses) or known(Path(folder)), rollback)
        if number == 0 and not addresses:
            while not known(Path(folder)):
                time.sleep(SAY_SECONDS)
    while True:
        os.wait()


def known(folder: Path) -> tuple[str, ...]:
    """Where the first donor is found, once it has said so."""
    path = folder / "address"
    return (path.read_text(),) if path.exists() else ()


def make_impatient() -> None:
    """So that a test need not wait long for those who say nothing; but all others have come by then."""
    donor_stream.SILENCE_SECONDS = 10.0
    download.RETRY_SECONDS = 1.0


def live(
    role: str, home: Path, numbers: int, listen: str, addresses: Sequence[str], rollback: Rollback | None
) -> NoReturn:
    """Be that peer until it is killed; a newcomer, until it has its state."""
    try:
        make_own_locks()
        os.dup2(os.open(home / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND), sys.stderr.fileno())
        if role in MISDEEDS:
            MISDEEDS[role]()
        is_newcomer = role.startswith("newcomer")
        swarm = entered(home, listen, addresses, "client" if is_newcomer else "direct")
        if is_newcomer:
            fetch(built(swarm, numbers, rollback), is_sure=role == "newcomer-sure")
        else:
            share(swarm, built(swarm, numbers, rollback), role, home.parent / "address")
    except BaseException:
        traceback.print_exc()
    os._exit(1)


def entered(home: Path, listen: str, addresses: Sequence[str], mode: Any) -> Swarm:
    """In the DHT of those addresses, or in a new one."""
    path = home / "identity.key"
    identity = Identity.load_or_create(path)
    key = home / "progress.key"
    return enter_swarm(addresses, key, identity=identity, identity_path=path, mode=mode, listen=(listen,))


def built(swarm: Swarm, numbers: int, rollback: Rollback | None) -> LocalSgdOptimizer:
    """An optimizer of base weights that are all zero."""
    shapes = (numbers // 2,), (numbers - numbers // 2,)
    return LocalSgdOptimizer(
        swarm,
        RUN_ID,
        Collaboration(mode="local-sgd", target_batch_size=1000, batch_size_per_step=10),
        params=[torch.nn.Parameter(torch.zeros(shape)) for shape in shapes],
        optimizer=partial(torch.optim.SGD, lr=0.1),
        scheduler=None,
        leaving=threading.Event(),
        listeners=Listeners(
            lambda _: None, lambda *_: None, lambda *why: say(refused=tuple(map(str, why))), lambda is_agreed, epoch: ""
        ),
        rollback=rollback,
    )


def fill(optimizer: LocalSgdOptimizer, seed: int, steps: int) -> None:
    """Give it weights that are those of everybody with that seed, as if it had taken so many outer steps."""
    random = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weights in optimizer.base_weights():
            weights.copy_(torch.randn(weights.shape, generator=random))
        optimizer._outer_steps.fill_(steps)


def share(swarm: Swarm, optimizer: LocalSgdOptimizer, role: str, told: Path) -> None:
    """Have weights that all but strangers, forgers and the untrained have, and wait for newcomers."""
    if role != "untrained":
        seed = STRANGERS_SEED if role in ("stranger", "forger") else SEED
        fill(optimizer, seed, STRANGERS_STEPS if role == "stranger" else EPOCH)
        optimizer.resume_at(EPOCH)
    ends = time.monotonic() + OFFER_SECONDS
    while not is_offered(swarm, optimizer) and time.monotonic() < ends:
        time.sleep(SAY_SECONDS)
    if role == "measured":
        optimizer.state_averager.know_upload(MEASURED)
    address = swarm.addresses()[0]
    if not told.exists():
        new = told.with_suffix(".new")
        new.write_text(address)
        new.rename(told)
    say(role=role, address=address, peer=swarm.peer_id, root=optimizer.outer.version()[1].hex())
    threading.Event().wait()


def is_offered(swarm: Swarm, optimizer: LocalSgdOptimizer) -> bool:
    """Whether newcomers find in the DHT that we have a state: a process of our own says so, and may be late."""
    found = swarm.dht.get(f"{optimizer.state_averager.prefix}.all_averagers", latest=True)
    offer = (found.value if found is not None else {}).get(swarm.dht.peer_id.to_bytes())
    return offer is not None and offer.value is not None


def know_signed(optimizer: LocalSgdOptimizer) -> None:
    """Know the root of the donors' weights, as if the organiser had signed it."""
    before = [each.clone() for each in optimizer.base_weights()]
    fill(optimizer, SEED, EPOCH)
    (_steps, root), _copy = optimizer.copied_state()
    score = Score(epoch=EPOCH, loss=1.0, at=time.time(), steps=EPOCH, root=root)
    for each in (optimizer.tracker, optimizer.state_averager):
        each.know_scores((score,))
    with torch.no_grad():
        torch._foreach_copy_(optimizer.base_weights(), before)
        optimizer._outer_steps.zero_()


def fetch(optimizer: LocalSgdOptimizer, is_sure: bool) -> NoReturn:
    """Get a state, once something comes from standard input, or its end.

    Say after each search whether any was offered, and at last what it is.
    """
    if is_sure:
        know_signed(optimizer)
    say(ready=True)
    os.read(0, 1)
    began, done = time.monotonic(), threading.Event()

    def tell() -> None:
        while not done.wait(SAY_SECONDS):
            say(received=received_bytes())

    threading.Thread(target=tell, daemon=True).start()
    version = optimizer.outer.version()
    while optimizer.outer.version() == version:
        optimizer.state_averager.load_state_from_peers()
        say(offered=optimizer.state_averager.download.is_offered)
    done.set()
    steps, root = optimizer.outer.version()
    epoch, seconds = optimizer.state_averager.local_epoch, time.monotonic() - began
    say(root=root.hex(), steps=steps, epoch=epoch, seconds=seconds, received=received_bytes())
    os._exit(0)


def lie() -> None:
    """Send parts whose last byte is another one."""
    replaced: Any = server
    honest = replaced._part

    def other_part(*which: Any) -> bytes:
        data: bytes = honest(*which)
        return data[:-1] + bytes([data[-1] ^ 1])

    replaced._part = other_part


def hang() -> None:
    """Read parts for ever."""
    replaced: Any = server
    replaced._part = lambda *_: threading.Event().wait()


def flood() -> None:
    """Send more than was ordered, for ever."""
    replaced: Any = state_donor
    honest = replaced.serve_orders

    async def endless(*what: Any) -> AsyncIterator[Any]:
        async for message in honest(*what):
            yield message
            while True:
                yield piece(bytes(PIECE_BYTES))

    replaced.serve_orders = endless


MISDEEDS: dict[str, Callable[[], None]] = {"liar": lie, "hanging": hang, "flooding": flood}

if __name__ == "__main__":
    main()
