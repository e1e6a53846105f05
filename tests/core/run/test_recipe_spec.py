"""What a run may train is a closed set, and what does not go together is refused in words."""

from __future__ import annotations

import msgspec
import pytest

from core.errors import ErrorKind, UserError
from core.run.manifest import RunManifest, decode_manifest
from core.run.requirements import estimate_requirements
from core.run.run_file import parse_run_file
from core.run.run_file_lint import lint
from core.run.spec.data import FileAt, SumsData, TextFiles
from core.run.spec.recipe import ArithmeticGPT, MoeLM

RUN = """
[run]
id = "words"
name = "Words"

[recipe]
kind = "causal-lm"
sequence_length = 64

[recipe.config]
model_type = "gpt2"
vocab_size = 300
hidden_size = 32
num_hidden_layers = 2
num_attention_heads = 4
max_position_embeddings = 64

[recipe.lora]
rank = 4

[data]
kind = "hub"
repository = "somebody/texts"
revision = "0123456789012345678901234567890123456789"

[collaboration]
target_batch_size = 1000
batch_size_per_step = 4
"""
PRETRAINED = """
[recipe.pretrained]
repository = "somebody/small"
revision = "0123456789012345678901234567890123456789"
"""
REUSING = "batch_size_per_step = 4\nreuse_grad_buffers = true"


def mistakes(old: str, new: str) -> str:
    """What is said of the run file with one thing changed."""
    assert old in RUN
    with pytest.raises(UserError) as caught:
        parse_run_file(RUN.replace(old, new, 1))
    assert caught.value.problem is ErrorKind.RUN_FILE_WRONG
    return str(caught.value.detail)


def test_a_language_model_survives_being_signed() -> None:
    manifest = parse_run_file(RUN + PRETRAINED)
    assert decode_manifest(msgspec.json.encode(manifest)) == manifest


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"gpt2"', '"mamba"', '[recipe.config] model_type = "mamba": must be "gpt2" or "llama"'),
        ('"gpt2"', '"bert"', '[recipe.config] model_type = "bert": must be "gpt2" or "llama"'),
        ("hidden_size = 32", "hidden_siz = 32", "[recipe.config] hidden_siz: unknown field; did you mean"),
        ("hidden_size = 32", "", "[recipe.config] hidden_size: is missing."),
        ("hidden_size = 32", "hidden_size = 30", "[recipe.config]: hidden_size 30 cannot be shared evenly"),
        ("hidden_size = 32", "hidden_size = 9e9", "[recipe.config] hidden_size = 9000000000.0: must be"),
        ("hidden_size = 32", 'auto_map = "x"\nhidden_size = 32', "auto_map: unknown field"),
        ("sequence_length = 64", "sequence_length = 65", "[recipe]: sequence_length must be at most 64"),
        ("sequence_length = 64", 'sequence_length = 8\nprecision = "fp8"', 'must be "auto" or "bf16"'),
        ("rank = 4", 'target_modules = ["q_proj"]', "this model has no q_proj; it has c_attn, c_fc, c_proj"),
        ("rank = 4", "rank = 0", "[recipe.lora] rank = 0: must be at least 1."),
        ("vocab_size = 300", "vocab_size = 257", 'tokenizer "bytes" has 258 tokens, and vocab_size is 257'),
        ("batch_size_per_step = 4", REUSING, 'reuse_grad_buffers needs [recipe] precision = "fp32"'),
        ("rank = 4", '[recipe.quantization]\nkind = "nf4"', "quantization needs lora and pretrained"),
        ("rank = 4", PRETRAINED.replace("0123", "main"), "[recipe.pretrained] revision = "),
        ("rank = 4", PRETRAINED.replace("somebody/", "../"), "[recipe.pretrained] repository = "),
    ],
)
def test_a_mistake_in_a_recipe_is_named(old: str, new: str, said: str) -> None:
    assert said in mistakes(old, new)


def test_a_recipe_that_cannot_learn_from_the_runs_data_is_refused() -> None:
    manifest = parse_run_file(RUN)
    with pytest.raises(ValueError, match='"causal-lm" cannot learn from data kind "sums"; it needs "text'):
        _with(manifest, data=SumsData())
    files = TextFiles(files=(FileAt(url="http://a/b", sha256="0" * 64, size_bytes=1),), format="text")
    with pytest.raises(ValueError, match='"arithmetic-gpt" cannot learn from data kind "text-files"'):
        _with(manifest, recipe=ArithmeticGPT(), data=files)


MIXTURE = RUN.replace('"causal-lm"', '"moe-lm"').replace("[recipe.lora]\nrank = 4", "[recipe.experts]\nexperts = 4")


def test_a_mixture_of_experts_survives_being_signed_and_says_which_layers_have_experts() -> None:
    manifest = parse_run_file(MIXTURE)
    assert decode_manifest(msgspec.json.encode(manifest)) == manifest
    assert isinstance(manifest.recipe, MoeLM) and manifest.recipe.expert_layers == (1,)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("experts = 4", "experts = 1", "[recipe.experts] experts = 1: must be"),
        ("experts = 4", "experts = 4\ntop_k = 5", "top_k 5 is more than the 4 experts of a layer"),
        ("experts = 4", "experts = 4\nevery_layers = 3", "every_layers 3 is more than the 2 layers: none has experts"),
        ("experts = 4", 'experts = 4\nblock = "os.system"', '[recipe.experts] block = "os.system": must be "ffn"'),
        ("num_hidden_layers = 2", "num_hidden_layers = 25", "num_hidden_layers must be at most 24"),
        ('"gpt2"', '"opt"', '[recipe.config] model_type = "opt": must be "gpt2" or "llama"'),
        ("sequence_length = 64", "sequence_length = 65", "sequence_length must be at most 64"),
        ("vocab_size = 300", "vocab_size = 257", 'tokenizer "bytes" has 258 tokens, and vocab_size is 257'),
    ],
)
def test_a_mistake_in_a_mixture_of_experts_is_named(old: str, new: str, said: str) -> None:
    assert old in MIXTURE
    with pytest.raises(UserError) as caught:
        parse_run_file(MIXTURE.replace(old, new, 1))
    assert said in str(caught.value.detail)


def test_a_run_whose_experts_would_wait_for_home_lines_is_told_so() -> None:
    manifest = parse_run_file(MIXTURE)
    needs = estimate_requirements(manifest).experts
    assert needs is not None and needs.count == 4
    assert needs.sent_bytes == 3 * 64 * 2 * 32 * 4 and needs.received_bytes == 2 * 64 * 2 * 32 * 4
    assert any("fast lines between trainers and hosts" in hint for hint in lint(manifest))


def _with(manifest: RunManifest, **parts: object) -> RunManifest:
    """As ``msgspec.structs.replace``, which checks nothing, and then checked."""
    return decoded(msgspec.json.encode(msgspec.structs.replace(manifest, **parts)))


def decoded(encoded: bytes) -> RunManifest:
    """Read as it comes from the network."""
    return msgspec.json.decode(encoded, type=RunManifest)
