"""A layer of experts, some of which are away or full: tokens go to the others, and gradients are right."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor

from core.run.spec.experts import ExpertsSpec
from core.worker.experts.block import ExpertId, ExpertShape
from core.worker.experts.calls import ExpertInput, LocalExperts, RemoteExperts
from core.worker.experts.hosted_expert import HostedExpert
from core.worker.experts.mixture import MixtureLayer
from core.worker.experts.router import Router, Routing

HIDDEN, LAYER = 8, 1


class HostsWithoutNetwork:
    """Stands for hosts of all experts, of which some are known and do not answer."""

    layer, hidden_size = LAYER, HIDDEN

    def __init__(self, spec: ExpertsSpec) -> None:
        numbers = range(spec.experts)
        self.experts = [HostedExpert(ExpertId(self.layer, each), self.hidden_size, spec) for each in numbers]
        self.known = set(range(spec.experts))
        self.silent: set[int] = set()
        self.asked: list[tuple[str, list[int]]] = []

    def available(self, layer: int) -> set[int]:
        """Those that are known."""
        assert layer == self.layer
        return self.known

    def forward(self, inputs: Sequence[ExpertInput]) -> list[Tensor | None]:
        """The answers of all that are not silent."""
        self.asked.append(("forward", [each.expert.number for each in inputs]))
        return [self._answer(each) for each in inputs]

    def backward(self, inputs: Sequence[ExpertInput]) -> list[Tensor | None]:
        """The gradients of all that are not silent."""
        self.asked.append(("backward", [each.expert.number for each in inputs]))
        return [self._answer(each) for each in inputs]

    def _answer(self, asked: ExpertInput) -> Tensor | None:
        index = asked.expert.number
        if index in self.silent:
            return None
        if asked.gradient is None:
            return self.experts[index].forward(asked.tokens, asked.seed)
        return self.experts[index].backward("trainer", asked.tokens, asked.gradient, asked.seed)


def spec(**numbers: float) -> ExpertsSpec:
    """Four experts that take all tokens, and no step, if nothing else is said."""
    chosen = {"experts": 4, "expansion": 2, "capacity_factor": 4.0, "batch_tokens": 1_000_000, **numbers}
    return ExpertsSpec(**chosen)  # type: ignore[arg-type]


def layers(numbers: ExpertsSpec) -> tuple[MixtureLayer, MixtureLayer, HostsWithoutNetwork]:
    """The same layer with experts of hosts, and with experts of its own, and these hosts."""
    hosts = HostsWithoutNetwork(numbers)
    torch.manual_seed(0)
    remote, local = MixtureLayer(HIDDEN, numbers), MixtureLayer(HIDDEN, numbers)
    local.router.load_state_dict(remote.router.state_dict())
    remote.experts = RemoteExperts(LAYER, hosts)
    local.experts = LocalExperts(LAYER, numbers.experts, ExpertShape(HIDDEN, 2), numbers.expert_dropout)
    return remote, local, hosts


def stream(seed: int = 1) -> Tensor:
    """Tokens of five samples."""
    return torch.randn(5, 6, HIDDEN, generator=torch.Generator().manual_seed(seed)).requires_grad_()


@pytest.mark.parametrize("top_k", [1, 2])
@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_experts_elsewhere_compute_and_learn_what_experts_here_do(top_k: int, dropout: float) -> None:
    remote, local, _hosts = layers(spec(top_k=top_k, expert_dropout=dropout))
    (first, second), gradient = (stream(), stream()), stream(2).detach()
    there, here = remote(first), local(second)
    torch.testing.assert_close(there, here)
    (there * gradient).sum().backward()
    (here * gradient).sum().backward()
    torch.testing.assert_close(first.grad, second.grad)
    torch.testing.assert_close(remote.router.gate.weight.grad, local.router.gate.weight.grad)
    assert remote.router.gate.weight.grad is not None and remote.router.gate.weight.grad.abs().sum() > 0


def test_a_token_whose_expert_is_silent_takes_the_others_answer_with_full_weight() -> None:
    remote, local, hosts = layers(spec(top_k=2))
    hosts.silent = {0}
    tokens = stream()
    changed = remote(tokens).view(-1, HIDDEN)
    routing: Routing = remote.router(tokens.view(-1, HIDDEN), range(4))
    row = int((routing.chosen == 0).any(1).nonzero()[0])
    (other,) = set(routing.chosen[row].tolist()) - {0}
    assert isinstance(local.experts, LocalExperts)
    alone, _ = local.experts(tokens.view(-1, HIDDEN)[row : row + 1], {other: 1}, None)
    torch.testing.assert_close(changed[row], alone[0])
    assert remote.last.answered < remote.last.sent == remote.last.routed == 60


def test_who_did_not_answer_forward_is_not_asked_backward_and_who_is_silent_then_costs_only_its_gradient() -> None:
    remote, _local, hosts = layers(spec(top_k=2))
    hosts.silent = {0}
    tokens = stream()
    changed = remote(tokens)
    hosts.silent = {0, 1}
    changed.sum().backward()
    assert hosts.asked == [("forward", [0, 1, 2, 3]), ("backward", [1, 2, 3])]
    assert tokens.grad is not None and tokens.grad.isfinite().all() and tokens.grad.abs().sum() > 0


def test_experts_that_nobody_hosts_are_not_routed_to_and_without_any_tokens_go_on_unchanged() -> None:
    remote, _local, hosts = layers(spec(top_k=2))
    hosts.known = {2}
    remote(stream()).sum().backward()
    assert hosts.asked[0] == ("forward", [2])
    hosts.known = set()
    assert not remote(stream()).any()
    assert remote.last.answered == remote.last.sent == 0 < remote.last.routed


def test_an_evaluation_trains_nothing_and_drops_nothing() -> None:
    remote, local, hosts = layers(spec(expert_dropout=0.5))
    remote.eval()
    local.eval()
    with torch.inference_mode():
        torch.testing.assert_close(remote(stream().detach()), local(stream().detach()))
    assert [kind for kind, _asked in hosts.asked] == ["forward"]


def test_an_expert_takes_no_more_than_its_capacity_and_first_choices_first() -> None:
    router = Router(2, spec(experts=2, top_k=2, capacity_factor=1.0))
    with torch.no_grad():
        router.gate.weight.copy_(torch.tensor([[1.0, 0.0], [0.0, 1.0]]))
    routing = router(torch.tensor([[0.0, 9.0], [9.0, 0.0], [9.0, 0.0], [9.0, 0.0]]), range(2))
    assert routing.chosen.tolist() == [[1, 0], [0, 1], [0, 1], [0, 1]]
    assert router.capacity(4, 2) == 4
    assert routing.sent.all()
    one = Router(2, spec(experts=2, top_k=1, capacity_factor=1.0))
    one.load_state_dict(router.state_dict())
    routing = one(torch.tensor([[0.0, 9.0], [9.0, 0.0], [9.0, 0.0], [9.0, 0.0]]), range(2))
    assert routing.sent.flatten().tolist() == [True, True, True, False]


def test_the_load_balancing_loss_is_one_where_all_are_even_and_leads_there() -> None:
    even = Routing(torch.full((4, 4), 0.25), torch.arange(4)[:, None], torch.ones(4, 1, dtype=torch.bool))
    assert float(even.load_balancing_loss()) == pytest.approx(1.0)
    logits = torch.tensor([2.0, 0.0, 0.0, 0.0]).repeat(8, 1).requires_grad_()
    chosen = torch.zeros(8, 1, dtype=torch.int64)
    skewed = Routing(logits.softmax(1), chosen, torch.ones(8, 1, dtype=torch.bool))
    loss = skewed.load_balancing_loss()
    torch.autograd.backward(loss)
    assert float(loss.detach()) > 1.0 and logits.grad is not None
    assert (logits.grad[:, 0] > 0).all() and (logits.grad[:, 1:] < 0).all()
