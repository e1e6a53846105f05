"""Whoever compiles nothing trains without PyTorch's compiler, which takes seconds and 80 MiB to import."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

from core.run.spec.optimizer import SGD, Adafactor, AdamW, Lamb, Lars, Lion, Muon, OptimizerSpec
from core.worker.compute.optimizers import make_optimizer

OPTIMIZERS: tuple[OptimizerSpec, ...] = (AdamW(), SGD(momentum=0.9), Adafactor(), Lamb(), Lars(), Lion(), Muon())
TRAINED = """
import sys
import torch
from core.run.spec.optimizer import AdamW
from tests.worker.compute.test_eager_optimizers import OPTIMIZERS, trained
for spec in OPTIMIZERS:
    trained(spec)
    assert "torch._dynamo" not in sys.modules, spec
model = torch.nn.Linear(4, 4)
torch.testing.assert_close(torch.compile(model, backend="eager")(torch.ones(4)), model(torch.ones(4)))
assert "torch._dynamo" in sys.modules
trained(AdamW())
"""


def trained(spec: OptimizerSpec) -> list[torch.Tensor]:
    """The weights of a small model after some steps of that optimizer, which was saved and loaded on the way."""
    torch.manual_seed(5)
    model, questions = torch.nn.Linear(4, 4), torch.randn(8, 4)
    optimizer = make_optimizer(spec)(model.parameters())
    for _ in range(3):
        optimizer.zero_grad()
        model(questions).square().mean().backward()
        optimizer.step()
        optimizer.load_state_dict(optimizer.state_dict())
    return [each.detach() for each in model.parameters()]


def test_no_optimizer_imports_the_compiler_and_a_model_can_still_be_compiled_beside_them() -> None:
    ran = subprocess.run([sys.executable, "-c", TRAINED], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("spec", OPTIMIZERS, ids=lambda spec: type(spec).__name__)
def test_a_step_that_loads_no_compiler_lowers_the_loss_and_leaves_no_graph(spec: OptimizerSpec) -> None:
    weights = trained(spec)
    torch.manual_seed(5)
    model, questions = torch.nn.Linear(4, 4), torch.randn(8, 4)
    before = model(questions).square().mean()
    torch.nn.utils.vector_to_parameters(torch.cat([each.flatten() for each in weights]), model.parameters())
    assert model(questions).square().mean() < before
    assert not any(each.requires_grad for each in weights)
