"""A language model with experts, rebuilt from model.safetensors and config.json with torch and safetensors alone.

    from model import load
    logits = load()(tokens)

or in a terminal, with the numbers of some tokens: python model.py 84 104 101

A token is sent to the likeliest experts of a layer, each of which takes so many of all tokens of a call at the most, as
in training: `load(capacity_factor=…)` lets it take more.
"""

import json
import math
import sys
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import Tensor, nn


def norm(numbers: dict[str, Any]) -> nn.Module:
    """A layer's normalisation, as the family has it."""
    kind = nn.LayerNorm if numbers["norm"] == "layer" else nn.RMSNorm
    return kind(numbers["width"], eps=numbers["epsilon"])


def rotated(heads: Tensor, rotary: dict[str, float]) -> Tensor:
    """Queries or keys, (..., tokens, head), turned by their positions (arXiv:2104.09864)."""
    size = int(heads.shape[-1] * rotary["share"])
    frequencies = 1.0 / rotary["base"] ** (torch.arange(0, size, 2, device=heads.device).float() / size)
    angles = torch.arange(heads.shape[-2], device=heads.device).float()[:, None] * frequencies
    cosine, sine = (torch.cat([each, each], dim=-1).to(heads.dtype) for each in (angles.cos(), angles.sin()))
    turned, rest = heads[..., :size], heads[..., size:]
    one, other = turned.chunk(2, dim=-1)
    return torch.cat([turned * cosine + torch.cat([-other, one], dim=-1) * sine, rest], dim=-1)


class Attention(nn.Module):
    """Causal self-attention, in which several heads may share keys and values."""

    def __init__(self, numbers: dict[str, Any]) -> None:
        super().__init__()
        self.heads, self.shared, self.rotary = numbers["heads"], numbers["key_value_heads"], numbers["rotary"]
        width, bias = numbers["width"], numbers["attention_bias"]
        shared = width // self.heads * self.shared
        self.queries = nn.Linear(width, width, bias=bias)
        self.keys, self.values = nn.Linear(width, shared, bias=bias), nn.Linear(width, shared, bias=bias)
        self.output = nn.Linear(width, width, bias=numbers["output_bias"])

    def forward(self, stream: Tensor) -> Tensor:
        """The change to the stream; (samples, tokens, width) in and out."""
        samples, tokens, width = stream.shape
        places = ((self.queries, self.heads), (self.keys, self.shared), (self.values, self.shared))
        split = [linear(stream).view(samples, tokens, count, -1).transpose(1, 2) for linear, count in places]
        if self.rotary is not None:
            split[:2] = [rotated(each, self.rotary) for each in split[:2]]
        queries, keys, values = (each.repeat_interleave(self.heads // each.shape[1], dim=1) for each in split)
        attended = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        changed: Tensor = self.output(attended.transpose(1, 2).reshape(samples, tokens, width))
        return changed


class FeedForward(nn.Module):
    """The feed-forward network of a layer without experts."""

    def __init__(self, numbers: dict[str, Any]) -> None:
        super().__init__()
        width, inner, bias = numbers["width"], numbers["inner"], numbers["feed_forward_bias"]
        self.activation = numbers["activation"]
        self.gate = nn.Linear(width, inner, bias=bias) if self.activation == "silu" else None
        self.expand, self.contract = nn.Linear(width, inner, bias=bias), nn.Linear(inner, width, bias=bias)

    def forward(self, stream: Tensor) -> Tensor:
        """The change to the stream; (samples, tokens, width) in and out."""
        inner = self.expand(stream)
        if self.gate is not None:
            inner = F.silu(self.gate(stream)) * inner
        else:
            inner = F.gelu(inner, approximate="tanh" if self.activation == "gelu_tanh" else "none")
        changed: Tensor = self.contract(inner)
        return changed


class Expert(nn.Module):
    """One expert: two linear layers with a GELU between."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.expand, self.contract = nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, tokens: Tensor) -> Tensor:
        """The change to these tokens; (tokens, width) in and out."""
        changed: Tensor = self.contract(F.gelu(self.expand(tokens)))
        return changed


class Mixture(nn.Module):
    """A mixture of experts (arXiv:2101.03961), of which those of the numbers in ``present`` are here."""

    def __init__(self, width: int, numbers: dict[str, Any], present: list[int]) -> None:
        super().__init__()
        self.top_k, self.capacity_factor = numbers["top_k"], numbers["capacity_factor"]
        self.router = nn.Linear(width, numbers["of"], bias=False)
        self.experts = nn.ModuleDict({str(each): Expert(width, width * numbers["expansion"]) for each in present})

    def forward(self, stream: Tensor) -> Tensor:
        """The change to the stream; (samples, tokens, width) in and out."""
        tokens = stream.reshape(-1, stream.shape[-1])
        present = [int(each) for each in self.experts]
        is_away = torch.ones(self.router.out_features, dtype=torch.bool, device=tokens.device)
        is_away[present] = False
        probabilities = self.router(tokens).float().masked_fill(is_away, -math.inf).softmax(1)
        chosen = probabilities.topk(min(self.top_k, len(present)), dim=1).indices
        sent = self.within_capacity(chosen, len(present))
        weights = probabilities.gather(1, chosen) * sent
        if chosen.shape[1] > 1:
            weights = weights / weights.sum(1, keepdim=True).clamp(min=torch.finfo(weights.dtype).tiny)
        changed = torch.zeros_like(tokens)
        for number, expert in self.experts.items():
            rows, choices = (sent & (chosen == int(number))).nonzero(as_tuple=True)
            answers = expert(tokens[rows]) * weights[rows, choices][:, None]
            changed = changed.index_add(0, rows, answers.to(changed))
        return changed.view(stream.shape)

    def within_capacity(self, chosen: Tensor, present: int) -> Tensor:
        """Which choices, (tokens, k), an expert takes: first choices before second ones, in their order."""
        capacity = math.ceil(self.capacity_factor * chosen.shape[0] * chosen.shape[1] / present)
        one_hot = F.one_hot(chosen.T.flatten(), self.router.out_features)
        place = (one_hot.cumsum(0) * one_hot).sum(1)
        taken: Tensor = place <= capacity
        return taken.view(chosen.shape[1], chosen.shape[0]).T


class Layer(nn.Module):
    """Attention, and then, or beside it, a feed-forward network or a mixture of experts."""

    def __init__(self, numbers: dict[str, Any], number: int) -> None:
        super().__init__()
        self.is_parallel, experts = numbers["parallel"], numbers["experts"]
        self.before_attention, self.before_feed_forward = norm(numbers), norm(numbers)
        self.attention = Attention(numbers)
        present = experts["layers"].get(str(number))
        self.feed_forward = FeedForward(numbers) if present is None else Mixture(numbers["width"], experts, present)

    def forward(self, stream: Tensor) -> Tensor:
        """The residual stream after this layer; (samples, tokens, width) in and out."""
        attended = stream + self.attention(self.before_attention(stream))
        read = stream if self.is_parallel else attended
        changed: Tensor = attended + self.feed_forward(self.before_feed_forward(read))
        return changed


class Model(nn.Module):
    """A decoder-only transformer that predicts the next token."""

    def __init__(self, numbers: dict[str, Any]) -> None:
        super().__init__()
        self.longest = numbers["positions"]
        self.token = nn.Embedding(numbers["vocabulary"], numbers["width"])
        self.position = None if numbers["rotary"] else nn.Embedding(self.longest, numbers["width"])
        self.layers = nn.Sequential(*(Layer(numbers, number) for number in range(numbers["layers"])))
        self.last_norm = norm(numbers)
        self.head = None if numbers["tied"] else nn.Linear(numbers["width"], numbers["vocabulary"], bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """(samples, tokens) in; out (samples, tokens, vocabulary): the logits of the token after each."""
        stream = self.token(tokens)
        if self.position is not None:
            stream = stream + self.position.weight[: tokens.shape[1]]
        stream = self.last_norm(self.layers(stream))
        return F.linear(stream, self.token.weight) if self.head is None else self.head(stream)

    @torch.inference_mode()
    def continued(self, tokens: list[int], count: int) -> list[int]:
        """These tokens and so many more, of which each is the likeliest."""
        for _ in range(count):
            read = torch.tensor([tokens[-self.longest :]], device=self.token.weight.device)
            tokens = [*tokens, int(self(read)[0, -1].argmax())]
        return tokens


def load(folder: Path = Path(__file__).parent, capacity_factor: float | None = None) -> Model:
    """The trained model of the export in that folder, in float32."""
    numbers = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if capacity_factor is not None:
        numbers["experts"]["capacity_factor"] = capacity_factor
    model = Model(numbers)
    model.load_state_dict(load_file(folder / "model.safetensors"))
    return model.eval()


if __name__ == "__main__":
    print(*load().continued([int(each) for each in sys.argv[1:]], 20))
