"""Three hosts and two trainers of a run with experts: ``FOLDER``. They say lines of JSON.

Each host is a process, forked from this one. The trainers are two peers in one process: each has its own identity, p2pd
and samples, and asks the hosts by itself. They share one trunk, whose gradient is the mean of theirs: that stands for
an all-reduce, of which other tests are. With the first line from standard input they collect the experts, and the
second host is killed once others have copies of its experts; with the second one they end.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, NoReturn

import torch
import torch._dynamo  # which each first optimizer would import by itself, two seconds of a core each
import torch.nn.functional as F
from hivemind.compression import serialize_torch_tensor
from hivemind.p2p import PeerID
from hivemind.proto import runtime_pb2

from core.run.spec.experts import ExpertsSpec
from core.run.spec.language_models import GPT2
from core.run.spec.recipe import MoeLM
from core.security.identity import Identity
from core.worker.experts.block import ExpertId, ExpertShape
from core.worker.process import process_tree
from core.worker.recipes.arithmetic_gpt import Sums
from core.worker.recipes.mixture_model import MixtureModel, experts_in, fill, remote_model, whole_model
from core.worker.swarm import Swarm
from core.worker.swarm.experts.announcements import announced_experts, nobody
from core.worker.swarm.experts.caller import ExpertCaller
from core.worker.swarm.experts.host import ExpertHost
from core.worker.swarm.experts.messages import CallHeader, most_tokens, reply_header, request
from core.worker.swarm.experts.quotas import HostLimits
from core.worker.swarm.experts.server import ExpertServer
from core.worker.swarm.experts.state_download import NoStateError
from tests.support.forked.own_locks import make_own_locks
from tests.support.peers import state_peers
from tests.support.peers.state_peers import say

RUN_ID = "experts"
HOSTS = 3
DIGITS = 1
TRUNK = GPT2(vocab_size=16, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, max_position_embeddings=8)
SPEC = ExpertsSpec(experts=6, expansion=2, top_k=2, learning_rate=3e-3, batch_tokens=400, max_wait_seconds=60.0)
RECIPE = MoeLM(config=TRUNK, sequence_length=8, experts=SPEC)
SHAPE = ExpertShape.of(SPEC, TRUNK.hidden_size)
EXPERTS = list(experts_in(RECIPE))
BATCH = 64
LISTEN = "/ip4/127.0.0.1/tcp/0"


def entered(folder: Path, addresses: Sequence[str], mode: Literal["direct", "client"]) -> Swarm:
    """In the DHT of those addresses, or in a new one."""
    folder.mkdir(parents=True, exist_ok=True)
    return state_peers.entered(folder, LISTEN, addresses, mode)


def main(folder: Path) -> None:
    """Fork the hosts, then be the trainers."""
    names = [f"trainer-{number}" for number in (1, 2)] + [f"host-{number}" for number in range(HOSTS)]
    invited = frozenset(Identity.load_or_create(made(folder, name)).peer_id for name in names)
    pids: list[int] = []
    addresses: list[str] = []
    for number in range(HOSTS):
        told, tell = os.pipe()
        if (pid := os.fork()) == 0:
            live_as_host(made(folder, f"host-{number}").parent, invited, addresses, tell)
        pids.append(pid)
        os.close(tell)
        with os.fdopen(told) as end:
            addresses.append(end.readline().strip())
    killed = Identity.load_or_create(made(folder, "host-1")).peer_id
    train(folder, addresses, killed, lambda: os.kill(pids[1], signal.SIGKILL))


def made(folder: Path, name: str) -> Path:
    """The file of that peer's identity, in a folder that is made."""
    (folder / name).mkdir(parents=True, exist_ok=True)
    return folder / name / "identity.key"


def live_as_host(folder: Path, invited: frozenset[str], addresses: Sequence[str], tell: int) -> NoReturn:
    """Host two experts for those peer ids, until the end."""
    try:
        make_own_locks()
        swarm = entered(folder, addresses, "direct")
        host = ExpertHost(
            swarm,
            RUN_ID,
            EXPERTS,
            capacity=len(EXPERTS),
            hidden_size=TRUNK.hidden_size,
            spec=SPEC,
            is_barred=lambda peer: peer not in invited,
            limits=HostLimits(state_seconds=0.0),  # the weights are compared before and after what may change them
            folder=folder / "experts",
        )
        os.write(tell, f"{swarm.addresses()[0]}\n".encode())
        host.run()
    except BaseException:
        traceback.print_exc()
    os._exit(1)


class Trainer:
    """A peer that draws its own samples and calls the hosts by itself."""

    def __init__(self, swarm: Swarm, seed: int) -> None:
        self.swarm = swarm
        self.caller = ExpertCaller(swarm, RUN_ID, EXPERTS, TRUNK.hidden_size, nobody)
        threading.Thread(target=self.caller.run, daemon=True).start()
        self.mixture = remote_model(RECIPE, self.caller)
        self.model = self.mixture.model
        self._sums = Sums(DIGITS, seed)

    def wait_for_experts(self) -> None:
        """Until the hosts share them evenly, after which none moves to another host."""
        while not self._are_shared_evenly():
            time.sleep(0.1)
            self.caller.look()

    def wait_for_some_experts(self) -> None:
        """Until some host is there; where this process has stood still, none has answered it in time."""
        while any(not self.caller.available(layer) for layer in {expert.layer for expert in EXPERTS}):
            time.sleep(0.1)

    def _are_shared_evenly(self) -> bool:
        counts = Counter(self.caller.directory.host_of(expert) for expert in EXPERTS)
        return None not in counts and list(counts.values()) == [len(EXPERTS) // HOSTS] * HOSTS

    def backward(self) -> float:
        """The loss of a batch, whose gradient is left in the trunk, and sent to the experts."""
        batch = self._sums.encode(self._sums.draw(BATCH))
        loss = F.cross_entropy(answers(self.model, batch.inputs).flatten(0, 1), batch.targets.flatten())
        torch.autograd.backward(loss + self.mixture.load_balancing_loss())
        return float(loss.detach())


def answers(model: torch.nn.Module, sums: torch.Tensor) -> torch.Tensor:
    """The logits of the digits of each sum's answer."""
    logits: torch.Tensor = model(input_ids=sums).logits[:, 2 * DIGITS + 1 :]
    return logits


class Trunk:
    """The parameters that both trainers have; one optimizer steps them."""

    def __init__(self, trainers: Sequence[Trainer]) -> None:
        self._trainers = trainers
        self._all = [list(each.model.parameters()) for each in trainers]
        self._optimizer = torch.optim.AdamW(self._all[0], lr=3e-3)

    def step(self) -> None:
        """One step of both, and one line about it."""
        began = time.monotonic()
        for trainer in self._trainers:
            trainer.wait_for_some_experts()
        losses = [trainer.backward() for trainer in self._trainers]
        for several in zip(*self._all, strict=True):
            found = [each.grad for each in several if each.grad is not None]  # none of a router without any experts
            several[0].grad = torch.stack(found).sum(0) / len(self._trainers) if found else None
        self._optimizer.step()
        for parameters in self._all:
            for first, each in zip(self._all[0], parameters, strict=True):
                each.data.copy_(first.data)
                each.grad = None
        answered = [each.last.answered for trainer in self._trainers for each in trainer.mixture.mixtures.values()]
        sent = [each.last.sent for trainer in self._trainers for each in trainer.mixture.mixtures.values()]
        present = [len(trainer.caller.available(EXPERTS[0].layer)) for trainer in self._trainers]
        seconds = time.monotonic() - began
        say(
            loss=sum(losses) / len(losses), seconds=seconds, answered=sum(answered) / max(1, sum(sent)), present=present
        )


def train(folder: Path, addresses: Sequence[str], killed: str, kill_a_host: Callable[[], None]) -> None:
    """Forge, train, compare the whole model, and train on without one host, whose experts others take over."""
    trainers = [Trainer(entered(folder / f"trainer-{number}", addresses, "client"), number) for number in (1, 2)]
    for each in trainers:
        each.wait_for_experts()
    stranger = Trainer(entered(folder / "stranger", addresses, "client"), 3)
    forge(trainers[0], stranger)
    trunk, going_on = Trunk(trainers), threading.Semaphore(0)
    threading.Thread(target=count_lines, args=(going_on,), daemon=True).start()
    while not going_on.acquire(blocking=False):
        trunk.step()
    compare(trainers[0])
    caller = trainers[0].caller
    lost: list[ExpertId] = []
    while not lost or any(expert not in copies(trainers[0]) for expert in lost):
        trunk.step()
        lost = [expert for expert in EXPERTS if caller.directory.host_of(expert) == killed]
    before, asked = steps_of(caller, lost), caller.asked
    kill_a_host()
    say(killed=len(lost), steps=before)
    began = time.monotonic()
    while any(caller.directory.host_of(expert) in (None, killed) for expert in lost):
        trunk.step()
    unanswered = caller.asked.sent - caller.asked.answered - (asked.sent - asked.answered)
    say(taken_over=steps_of(caller, lost), seconds_until=time.monotonic() - began, unanswered=unanswered)
    while any(len(each.caller.available(EXPERTS[0].layer)) < SPEC.experts for each in trainers):
        trunk.step()
    say(whole=True)
    while not going_on.acquire(blocking=False):
        trunk.step()
    say(done=True)


def copies(trainer: Trainer) -> dict[ExpertId, int]:
    """The experts of which some host has a copy that has learned something, and its steps."""
    announced = announced_experts(trainer.swarm.dht, RUN_ID, EXPERTS, nobody)
    return {expert: steps for each in announced.values() for expert, steps in each.copies.items() if steps}


def steps_of(caller: ExpertCaller, experts: Sequence[ExpertId]) -> list[int]:
    """The optimizer steps that the hosts of these experts say they have behind them."""
    return [
        _asked(caller, expert, request(CallHeader(*expert), torch.ones(1, TRUNK.hidden_size))) for expert in experts
    ]


def _asked(caller: ExpertCaller, expert: ExpertId, sent: runtime_pb2.ExpertRequest) -> int:
    """Of whoever answers for it: a host that has just given it away refuses, and is still known for it for seconds."""
    while True:
        if (host_id := caller.directory.host_of(expert)) is not None:
            stub = ExpertServer.get_stub(caller._thread.p2p, PeerID.from_base58(host_id), namespace=RUN_ID)
            header = reply_header(caller._thread.submit(stub.rpc_forward(sent)).result(60.0))
            if not header.refusal:
                return header.steps
        time.sleep(0.1)


def count_lines(going_on: threading.Semaphore) -> None:
    """Let one more thing happen with every line from standard input."""
    for _ in sys.stdin:
        going_on.release()


def forge(trainer: Trainer, stranger: Trainer) -> None:
    """Send each host what it must refuse, and say what it has answered and which weights are others afterwards."""
    before = states(trainer)
    tokens = torch.ones(4, TRUNK.hidden_size)
    too_many = torch.ones(most_tokens(TRUNK.hidden_size) + 1, TRUNK.hidden_size)
    answers = {
        "stranger": ask(trainer, request(header(), tokens, tokens), stranger),
        "nan": ask(trainer, request(header(), tokens, tokens * torch.nan)),
        "overflowing": ask(trainer, request(header(), tokens * 1e30, tokens * 1e30)),
        "oversized": ask(trainer, request(header(), too_many, too_many)),
        "other shape": ask(trainer, request(header(), tokens[:, 1:], tokens[:, 1:])),
        "no gradient": ask(trainer, request(header(), tokens)),
        "other expert": ask(trainer, request(CallHeader(EXPERTS[0].layer, SPEC.experts), tokens, tokens)),
        "pickle": ask(trainer, pickled(tokens)),
    }
    after = states(trainer)
    changed = [expert for expert in before if any(not torch.equal(*both) for both in pairs(before, after, expert))]
    say(refusals=answers, changed=changed)


def header() -> CallHeader:
    """A call for the first of all experts."""
    return CallHeader(*EXPERTS[0])


def pickled(tokens: torch.Tensor) -> runtime_pb2.ExpertRequest:
    """A tensor that says it is something else, and whose bytes are a pickle's."""
    sent = serialize_torch_tensor(tokens)
    sent.dtype, sent.buffer = "object", b"cos\nsystem\n(S'true'\ntR."
    return runtime_pb2.ExpertRequest(metadata=request(header()).metadata, tensors=[sent, sent])


def ask(trainer: Trainer, sent: runtime_pb2.ExpertRequest, sender: Trainer | None = None) -> str:
    """What the trainer's host of the first expert refuses that backward request with; empty if it does not.

    The ``sender`` is the trainer itself, if nobody else is named.
    """
    host_id = trainer.caller.directory.host_of(EXPERTS[0])
    assert host_id is not None
    thread = (sender or trainer).caller._thread
    stub = ExpertServer.get_stub(thread.p2p, PeerID.from_base58(host_id), namespace=RUN_ID)
    refusal: str = reply_header(thread.submit(stub.rpc_backward(sent)).result(60.0)).refusal
    return refusal


def states(trainer: Trainer) -> dict[ExpertId, dict[str, torch.Tensor]]:
    """The weights of all experts, as their hosts have them."""
    return {expert: trainer.caller.state_of(expert, SHAPE) for expert in EXPERTS}


def pairs(before: Any, after: Any, expert: ExpertId) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """That expert's weights then and now."""
    return [(value, after[expert][name]) for name, value in before[expert].items()]


def compare(trainer: Trainer) -> None:
    """Say how much the logits of a whole model of plain PyTorch differ from those of the trunk and its hosts."""
    filled, inputs = whole_model(RECIPE), trainer._sums.encode(Sums(DIGITS, 0).held_out()).inputs
    whole = filled.model.eval()
    trainer.model.eval()
    while (there := answers_of_hosts(trainer, filled, inputs)) is None:
        time.sleep(0.1)
    trainer.model.train()
    untrained = whole_model(RECIPE).model.eval()
    with torch.inference_mode():
        here = answers(whole, inputs)
        changed = (answers(untrained, inputs) - here).abs().max()
    say(difference=float((there - here).abs().max()), changed=float(changed))


def answers_of_hosts(trainer: Trainer, whole: MixtureModel, inputs: torch.Tensor) -> torch.Tensor | None:
    """The trunk's logits by the weights that the whole model is given; ``None`` where a host was late, or learned."""
    mixtures = trainer.mixture.mixtures.values()
    for each in mixtures:
        each.evaluated_among.clear()
    try:
        before = states(trainer)
        with torch.inference_mode():
            there = answers(trainer.model, inputs)
        after = states(trainer)
    except NoStateError:
        return None
    are_whole = all(each.evaluated_among == {tuple(range(SPEC.experts))} for each in mixtures)
    if not are_whole or not all(torch.equal(*both) for expert in EXPERTS for both in pairs(before, after, expert)):
        return None
    fill(whole, trainer.model.state_dict(), after)
    return there


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
    process_tree.setup_fork_handling()
    torch.set_num_threads(1)
    main(Path(sys.argv[1]))
