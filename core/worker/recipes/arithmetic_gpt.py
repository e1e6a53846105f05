"""The built-in recipe: a small decoder-only transformer learns sums such as 17+25=42 that it makes up itself.

Inside, every number has a fixed width and the answer is written units first, so that each digit needs only
the column in hand and the carry from the one before: ``17+25=42`` is the tokens ``1 7 + 2 5 = 2 4 0``.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.run.spec.data import SumsData
from core.run.spec.recipe import ArithmeticGPT
from core.worker.recipes.recipe import EVALUATED_AT_ONCE, Batch, Evaluation, Example, evaluation_mode, shown_examples

PLUS, EQUALS, TOKENS = 10, 11, 12  # the digits are their own tokens
HELD_OUT_ONE_IN = 32
EVALUATED_SUMS = 256
SHOWN_SUMS = 6
_EMBEDDING_SCALE = 0.3
_MERSENNE_PRIME = 2**31 - 1
_SAME_ON_EVERY_PEER = 0


class Sums:
    """Draws pairs of numbers below ``10 ** digits``, int64 (samples, 2), and spells them as tokens."""

    def __init__(self, digits: int, seed: int) -> None:
        self.digits = digits
        self._generator = torch.Generator().manual_seed(seed)  # on the CPU: the same sums for every device
        self._powers = 10 ** torch.arange(digits + 1)

    def draw(self, samples: int) -> Tensor:
        """Draw so many pairs to train on, none of them in the validation set."""
        pairs = self._random_pairs(samples)
        while (unwanted := is_held_out(pairs)).any():
            pairs[unwanted] = self._random_pairs(int(unwanted.sum()))
        return pairs

    def held_out(self) -> Tensor:
        """The validation set: at most ``EVALUATED_SUMS`` different pairs, which ``draw`` never gives."""
        pairs = self._random_pairs(2 * EVALUATED_SUMS * HELD_OUT_ONE_IN)
        different: Tensor = pairs[is_held_out(pairs)].unique(dim=0)  # type: ignore[no-untyped-call]
        return different[torch.randperm(len(different), generator=self._generator)[:EVALUATED_SUMS]]

    def encode(self, pairs: Tensor) -> Batch:
        """Write the sums as tokens.

        Inputs, (samples, 3 * digits + 2): all but the last digit. Targets, (samples, digits + 1): the answer.
        """
        operands = pairs[:, :, None] // self._powers[:-1].flip(0) % 10
        answers = pairs.sum(1, keepdim=True) // self._powers % 10
        sign = torch.ones(len(pairs), 1, dtype=torch.int64)
        spelled = (operands[:, 0], PLUS * sign, operands[:, 1], EQUALS * sign, answers[:, :-1])
        return Batch(torch.cat(spelled, dim=1), answers)

    def number(self, answer: Tensor) -> int:
        """The number whose digits those are, units first."""
        return int((answer.cpu() * self._powers).sum())

    def _random_pairs(self, samples: int) -> Tensor:
        return torch.randint(10**self.digits, (samples, 2), generator=self._generator)


def is_held_out(pairs: Tensor) -> Tensor:
    """Which pairs are in the validation set, on every peer: a hash of the two numbers, in either order, decides."""
    small, large = pairs.amin(1), pairs.amax(1)
    hashed = (small * 1_000_003 + large + 1) % _MERSENNE_PRIME
    return hashed * hashed % _MERSENNE_PRIME % HELD_OUT_ONE_IN == 0


class Block(nn.Module):
    """A pre-norm transformer block: causal self-attention, then a two-layer perceptron, both residual."""

    def __init__(self, numbers: ArithmeticGPT) -> None:
        super().__init__()
        width = numbers.width
        self.heads = numbers.heads
        self.before_attention, self.before_perceptron = nn.LayerNorm(width), nn.LayerNorm(width)
        self.queries_keys_values = nn.Linear(width, 3 * width, bias=False)
        self.attended = nn.Linear(width, width, bias=False)
        self.expand, self.contract = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(numbers.dropout)

    def forward(self, stream: Tensor) -> Tensor:
        """The residual stream after this block; (samples, tokens, width) in and out."""
        stream = stream + self.dropout(self._attend(self.before_attention(stream)))
        hidden = F.gelu(self.expand(self.before_perceptron(stream)))
        changed: Tensor = stream + self.dropout(self.contract(hidden))
        return changed

    def _attend(self, stream: Tensor) -> Tensor:
        samples, tokens, width = stream.shape
        shape = (samples, tokens, 3, self.heads, width // self.heads)
        queries, keys, values = self.queries_keys_values(stream).view(shape).permute(2, 0, 3, 1, 4)
        attention = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        attended: Tensor = self.attended(attention.transpose(1, 2).reshape(samples, tokens, width))
        return attended


class Transformer(nn.Module):
    """A decoder-only transformer that predicts, from ``=`` on, the next digit of the answer."""

    def __init__(self, numbers: ArithmeticGPT, digits: int) -> None:
        super().__init__()
        self.equals_at = 2 * digits + 1
        self.token = nn.Embedding(TOKENS, numbers.width)
        self.position = nn.Embedding(3 * digits + 2, numbers.width)
        self.blocks = nn.Sequential(*(Block(numbers) for _ in range(numbers.layers)))
        self.last_norm = nn.LayerNorm(numbers.width)
        self.digit = nn.Linear(numbers.width, 10, bias=False)
        self._initialize(numbers.layers)

    def forward(self, tokens: Tensor) -> Tensor:
        """(samples, tokens) in; out (samples, tokens from ``=`` on, 10): the logits of the next digit."""
        stream = self.blocks(self.token(tokens) + self.position.weight[: tokens.shape[1]])
        logits: Tensor = self.digit(self.last_norm(stream[:, self.equals_at :]))
        return logits

    def _initialize(self, layers: int) -> None:
        """Draw the initial weights from a generator that is the same on every peer and every device.

        Output projections are scaled by 1/sqrt(2 * layers), as in GPT-2 (Radford et al. 2019, section 2.3).
        """
        generator = torch.Generator().manual_seed(_SAME_ON_EVERY_PEER)
        for name, weight in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(weight)
            if weight.dim() < 2:
                continue
            is_embedding = name in ("token.weight", "position.weight")
            scale = _EMBEDDING_SCALE if is_embedding else weight.shape[1] ** -0.5
            if name.endswith(("attended.weight", "contract.weight")):
                scale /= (2 * layers) ** 0.5  # so that the stream does not grow with the depth
            nn.init.normal_(weight, std=scale, generator=generator)


class ArithmeticRecipe:
    """The built-in recipe: a transformer, the sums it trains on, and the validation set."""

    def __init__(self, numbers: ArithmeticGPT, data: SumsData, *, seed: int, device: torch.device) -> None:
        self.model = Transformer(numbers, data.digits).to(device)
        self._device = device
        self._sums = Sums(data.digits, seed)
        self._held_out_pairs = Sums(data.digits, _SAME_ON_EVERY_PEER).held_out()
        self._eval_batch = self._to_device(self._sums.encode(self._held_out_pairs))

    def draw(self, batch_size: int) -> Batch:
        """Draw so many sums with this peer's own generator, on its device."""
        return self._to_device(self._sums.encode(self._sums.draw(batch_size)))

    def loss(self, batch: Batch) -> Tensor:
        """The mean cross-entropy of the answers' digits, in nats; the operands' digits do not count."""
        return F.cross_entropy(self.model(batch.inputs).flatten(0, 1), batch.targets.flatten())

    def backward(self, loss: Tensor) -> bool:
        """Leave the loss's gradient in all parameters."""
        torch.autograd.backward(loss)
        return True

    def close(self) -> None:
        """Do nothing: these samples come from no file."""

    def evaluate(self) -> Evaluation:
        """Loss and exact-match accuracy on the validation set, and a few sums with the model's answers.

        Greedy decoding gives the exact answer if, and only if, every digit is the likeliest after the right
        ones before it; so one pass over the right answers measures it.
        """
        with evaluation_mode(self.model):
            sums_at_once = max(1, EVALUATED_AT_ONCE // self._eval_batch.inputs.shape[1])
            logits = torch.cat([self.model(some) for some in torch.split(self._eval_batch.inputs, sums_at_once)])
            right = (logits.argmax(-1) == self._eval_batch.targets).all(1)
            loss = F.cross_entropy(logits.flatten(0, 1), self._eval_batch.targets.flatten())
            examples = self._solve(shown_examples(len(right), SHOWN_SUMS))
        return Evaluation(float(loss), float(right.float().mean()), examples)

    def _solve(self, chosen: Tensor) -> tuple[Example, ...]:
        """Let the model write the answers to those questions, one digit after the other."""
        questions = self._held_out_pairs[chosen].tolist()
        tokens = self._eval_batch.inputs[chosen.to(self._device), : self.model.equals_at + 1]
        for _ in range(self._sums.digits + 1):
            tokens = torch.cat([tokens, self.model(tokens)[:, -1:].argmax(-1)], dim=1)
        answers = [self._sums.number(answer) for answer in tokens[:, self.model.equals_at + 1 :]]
        solved = zip(questions, answers, strict=True)
        return tuple(
            Example(f"{a}+{b}={answer}", a + b == answer, f"{a}+{b}", str(answer)) for (a, b), answer in solved
        )

    def _to_device(self, batch: Batch) -> Batch:
        return Batch(batch.inputs.to(self._device), batch.targets.to(self._device))
