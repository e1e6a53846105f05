"""One process of a run with experts that learns program text: ``ROLE FOLDER STEPS SEED LISTEN [ADDRESS…]``.

It says lines of JSON; the samples follow from the seed. A ``host`` hosts its share until it is killed, and a
``watched`` one says whenever its experts have taken steps. A ``remote``
trains trunk and routers with the experts of all hosts; it says what it has learned after so many steps, and goes on
until a line comes from standard input. In one process and without any network, the same samples train the ``whole``
model, or the ``trunk`` alone, with a feed-forward network in the place of the experts.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean

import torch
import torch.nn.functional as F
from torch import Tensor

from core.run.spec.experts import ExpertsSpec
from core.run.spec.language_models import GPT2
from core.run.spec.recipe import MoeLM
from core.worker.experts.calls import LocalExperts
from core.worker.process import process_tree
from core.worker.recipes.initialization import model_from_scratch
from core.worker.recipes.mixture_model import MixtureModel, experts_in, remote_model, whole_model
from core.worker.swarm.experts.announcements import nobody
from core.worker.swarm.experts.caller import ExpertCaller
from core.worker.swarm.experts.host import ExpertHost
from tests.experiments.same_samples.program_text import LENGTH, ProgramText
from tests.support.learning.entered_host import RUN_ID, entered_host
from tests.support.peers.state_peers import entered, say

BATCH = 16  # samples of a step
TOKENS = BATCH * LENGTH
TRUNK = GPT2(vocab_size=256, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=LENGTH)
SPEC = ExpertsSpec(experts=6, learning_rate=3e-3, batch_tokens=TOKENS // 4, max_wait_seconds=5.0)
RECIPE = MoeLM(config=TRUNK, sequence_length=LENGTH, experts=SPEC)
EXPERTS = list(experts_in(RECIPE))
LEARNING_RATE = 3e-3
WARM_UP_STEPS = 5
TOLD_SECONDS = 0.1  # between two looks at the steps of a watched host's experts

Loss = Callable[[], Tensor]


def be_host(folder: Path, listen: str, addresses: Sequence[str], *, is_watched: bool = False) -> None:
    """Host a share of the experts for whoever asks."""
    swarm, host = entered_host(folder, listen, addresses, EXPERTS, TRUNK.hidden_size, SPEC)
    say(address=str(swarm.addresses()[0]))
    if is_watched:
        threading.Thread(target=tell_steps, args=(host,), daemon=True).start()
    host.run()


def tell_steps(host: ExpertHost) -> None:
    """Say how many steps each of its experts has taken, and when, as often as that changes."""
    last: dict[str, int] = {}
    while True:
        steps = {f"{each.id.layer}-{each.id.number}": each.steps for each in list(host.experts.values())}
        if steps != last:
            say(at=time.monotonic(), steps=steps)
            last = steps
        time.sleep(TOLD_SECONDS)


def be_remote(folder: Path, steps: int, seed: int, listen: str, addresses: Sequence[str]) -> None:
    """Train with the experts of the hosts at these addresses, once they are shared evenly."""
    caller = ExpertCaller(entered(folder, listen, addresses, "client"), RUN_ID, EXPERTS, TRUNK.hidden_size, nobody)
    threading.Thread(target=caller.run, daemon=True).start()
    shares = [len(EXPERTS) // len(addresses)] * len(addresses)
    while list(Counter(map(caller.directory.host_of, EXPERTS)).values()) != shares:
        time.sleep(0.5)
        caller.look()
    mixture = remote_model(RECIPE, caller)
    training = Training(mixture.model, mixture, seed)
    training.run(steps)
    going_on = threading.Event()
    threading.Thread(target=set_after_a_line, args=(going_on,), daemon=True).start()
    while not going_on.is_set():
        seconds, present = training.step(), sum(caller.directory.host_of(each) is not None for each in EXPERTS)
        say(at=time.monotonic(), seconds=seconds, present=present)
    say(done=True)


def set_after_a_line(event: threading.Event) -> None:
    """Set the event once a line has come from standard input."""
    sys.stdin.readline()
    event.set()


class Training:
    """A model that learns program text, the same samples in the same order whatever it is made of."""

    def __init__(self, model: torch.nn.Module, mixture: MixtureModel | None, seed: int) -> None:
        self._model, self._mixture = model, mixture
        self._text = ProgramText(seed)
        held = [] if mixture is None else [layer.experts for layer in mixture.mixtures.values()]
        of_experts = [each for experts in held if isinstance(experts, LocalExperts) for each in experts.parameters()]
        known = set(map(id, of_experts))
        trunk = [each for each in model.parameters() if id(each) not in known]
        groups = [{"params": trunk, "lr": LEARNING_RATE}, {"params": of_experts, "lr": SPEC.learning_rate}]
        self._optimizer = torch.optim.AdamW([group for group in groups if group["params"]])

    def step(self) -> float:
        """One step, and how long it has taken, in seconds."""
        began = time.monotonic()
        loss = self._loss(self._text.draw(BATCH))
        if self._mixture is not None:
            loss = loss + self._mixture.load_balancing_loss()
        self._optimizer.zero_grad()
        torch.autograd.backward(loss)
        self._optimizer.step()
        return time.monotonic() - began

    def run(self, steps: int) -> None:
        """So many steps; says how fast they were, and the loss of held-out text."""
        seconds = [self.step() for _ in range(steps)]
        self._model.eval()
        with torch.inference_mode():
            held_out = mean(float(self._loss(samples)) for samples in torch.split(self._text.held_out, BATCH))
        self._model.train()
        counted = seconds[WARM_UP_STEPS:]
        say(loss=held_out, tokens_per_second=TOKENS * len(counted) / sum(counted), longest=max(counted))

    def _loss(self, samples: Tensor) -> Tensor:
        logits: Tensor = self._model(input_ids=samples).logits[:, :-1]
        return F.cross_entropy(logits.flatten(0, 1), samples[:, 1:].flatten())


def main(role: str, folder: Path, steps: int, seed: int, listen: str, addresses: Sequence[str]) -> None:
    """Be one of them."""
    folder.mkdir(parents=True, exist_ok=True)
    match role:
        case "host":
            be_host(folder, listen, addresses)
        case "watched":
            be_host(folder, listen, addresses, is_watched=True)
        case "remote":
            be_remote(folder, steps, seed, listen, addresses)
        case "whole":
            mixture = whole_model(RECIPE)
            Training(mixture.model, mixture, seed).run(steps)
        case _:
            Training(model_from_scratch(RECIPE).train(), None, seed).run(steps)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
    process_tree.setup_fork_handling()
    torch.set_num_threads(1)
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5], sys.argv[6:])
