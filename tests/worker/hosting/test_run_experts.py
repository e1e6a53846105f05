"""How many experts a computer hosts, and that training waits, and says so, while nobody answers for a layer."""

from __future__ import annotations

import threading
from typing import Any

import msgspec

from core.errors import ErrorKind
from core.protocol.events import Warned
from core.run.run_file import load_run_file
from core.run.spec.experts import MAX_EXPERTS, MOST_HOSTED
from core.run.spec.recipe import MoeLM
from core.worker.hosting.capacity import FREE_SHARE, expert_capacity
from core.worker.hosting.run_experts import RunExperts
from tests.support.checkout import ROOT

MIXTURE = load_run_file(ROOT / "examples" / "moe-lm.toml")
STATE_BYTES = 12 * (2 * 128 * 512 + 512 + 128)  # an expert of the example, with AdamW's statistics


def test_a_computer_hosts_what_a_share_of_its_free_memory_holds_and_no_more_than_there_are_or_it_wishes() -> None:
    def capacity(experts: float, most: int | None = None) -> int:
        return expert_capacity(MIXTURE, most, free_bytes=round(experts * STATE_BYTES / FREE_SHARE))

    assert capacity(3.5) == 3 and capacity(3.5, most=2) == 2 and capacity(3.5, most=9) == 3
    assert capacity(0.1) == 1 and capacity(1000) == 16
    assert expert_capacity(load_run_file(ROOT / "examples" / "tiny-gpt2-from-scratch.toml")) == 0


def test_a_computer_hosts_no_more_experts_than_others_accept_in_its_announcement() -> None:
    assert isinstance(MIXTURE.recipe, MoeLM)
    many = msgspec.structs.replace(MIXTURE.recipe.experts, experts=MAX_EXPERTS)
    recipe = msgspec.structs.replace(MIXTURE.recipe, experts=many)
    manifest = msgspec.structs.replace(MIXTURE, recipe=recipe)
    assert expert_capacity(manifest, free_bytes=2**50) == MOST_HOSTED
    assert expert_capacity(manifest, most=9, free_bytes=2**50) == 9


class Caller:
    """Stands for the calls of a run's experts: those of the named layers can be asked."""

    def __init__(self, *layers: int) -> None:
        self.layers = set(layers)

    def available(self, layer: int) -> list[int]:
        """One expert, or none."""
        return [0] if layer in self.layers else []


class Channel:
    """Stands for the worker's channel, which is left as soon as something was said."""

    def __init__(self) -> None:
        self.leaving, self.said = threading.Event(), list[Any]()

    def emit(self, event: Any) -> None:
        """Keep it, and leave."""
        self.said.append(event)
        self.leaving.set()


def test_experts_are_lacking_where_some_layer_has_none_and_that_is_said() -> None:
    caller: Any = Caller(1)
    experts, channel = RunExperts((1, 3), caller), Channel()
    assert experts.are_lacking
    experts.watch(channel)  # type: ignore[arg-type]
    assert channel.said == [Warned(problem=ErrorKind.EXPERTS_AWAY.key)]
    caller.layers.add(3)
    assert not experts.are_lacking and not RunExperts().are_lacking


def test_a_run_that_skips_layers_without_experts_does_not_wait_for_them_and_says_so_too() -> None:
    caller: Any = Caller(1)
    experts, channel = RunExperts((1, 3), caller, skips=True), Channel()
    assert not experts.are_lacking
    experts.watch(channel)  # type: ignore[arg-type]
    assert channel.said == [Warned(problem=ErrorKind.EXPERTS_AWAY.key)]
