"""The model of an arithmetic run, rebuilt from model.safetensors and config.json with torch and safetensors alone.

    from model import load
    print(load().add(17, 25))

or in a terminal: python model.py 17 25

A sum is spelled as tokens, every number with a fixed width: 17+25=42 is 1 7 + 2 5 = 2 4 0, the answer units first.
"""

import json
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import Tensor, nn

PLUS, EQUALS, TOKENS = 10, 11, 12  # the digits are their own tokens


class Block(nn.Module):
    """A pre-norm transformer block: causal self-attention, then a two-layer perceptron, both residual."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before_attention, self.before_perceptron = nn.LayerNorm(width), nn.LayerNorm(width)
        self.queries_keys_values = nn.Linear(width, 3 * width, bias=False)
        self.attended = nn.Linear(width, width, bias=False)
        self.expand, self.contract = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, stream: Tensor) -> Tensor:
        """The residual stream after this block; (samples, tokens, width) in and out."""
        samples, tokens, width = stream.shape
        projected = self.queries_keys_values(self.before_attention(stream))
        heads = projected.view(samples, tokens, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        attention = F.scaled_dot_product_attention(heads[0], heads[1], heads[2], is_causal=True)
        stream = stream + self.attended(attention.transpose(1, 2).reshape(samples, tokens, width))
        changed: Tensor = stream + self.contract(F.gelu(self.expand(self.before_perceptron(stream))))
        return changed


class Model(nn.Module):
    """A decoder-only transformer that writes the digits of a sum's answer."""

    def __init__(self, layers: int, width: int, heads: int, digits: int) -> None:
        super().__init__()
        self.digits = digits
        self.token, self.position = nn.Embedding(TOKENS, width), nn.Embedding(3 * digits + 2, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.last_norm = nn.LayerNorm(width)
        self.digit = nn.Linear(width, 10, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """(samples, tokens) in; out (samples, tokens from ``=`` on, 10): the logits of the next digit."""
        stream = self.blocks(self.token(tokens) + self.position.weight[: tokens.shape[1]])
        logits: Tensor = self.digit(self.last_norm(stream[:, 2 * self.digits + 1 :]))
        return logits

    @torch.inference_mode()
    def add(self, one: int, other: int) -> int:
        """What the model takes for the sum of two numbers of at most ``digits`` digits; it may be wrong."""
        spelled = [*f"{one:0{self.digits}}", PLUS, *f"{other:0{self.digits}}", EQUALS]
        tokens = torch.tensor([[int(each) for each in spelled]])
        for _ in range(self.digits + 1):
            tokens = torch.cat([tokens, self(tokens)[:, -1:].argmax(-1)], dim=1)
        answer = tokens[0, -self.digits - 1 :].tolist()
        return sum(digit * 10**place for place, digit in enumerate(answer))


def load(folder: Path = Path(__file__).parent) -> Model:
    """The trained model of the export in that folder."""
    model = Model(**json.loads((folder / "config.json").read_text(encoding="utf-8")))
    model.load_state_dict(load_file(folder / "model.safetensors"))
    return model.eval()


if __name__ == "__main__":
    print(load().add(int(sys.argv[1]), int(sys.argv[2])))
