"""The model card of an export: README.md with the metadata of the hub, in English, as such cards are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from core.protocol.commands import Contributor
from core.run.manifest import RunManifest
from core.run.spec.data import DataSpec, HubDataset, HubImages, ImageFiles, SumsData, TextFiles
from core.run.spec.recipe import ArithmeticGPT, CausalLM, ImageClassification, MaskedLM, MoeLM
from core.run.steering.data_change import DataChange
from core.security.sanitize import MAX_NAME_CHARACTERS, sanitize_line
from core.worker.export.transformers_model import BASE
from core.worker.training.checkpoint_file import CheckpointContent

_PIPELINES = {"causal-lm": "text-generation", "masked-lm": "fill-mask", "image-classification": "image-classification"}
_AUTO_CLASSES = {
    "causal-lm": "AutoModelForCausalLM",
    "masked-lm": "AutoModelForMaskedLM",
    "image-classification": "AutoModelForImageClassification",
}
NOBODY_NAMED = "Nobody is named: nobody has asked to be."
_NAMED = (
    "Those who have asked to be named, as they call themselves, with their samples as the organiser's computer has "
    "counted them:"
)
_CAPACITY = (
    "`load()` itself needs torch and safetensors alone, and gives a PyTorch module from tokens to logits. As in "
    "training an expert takes at most {factor:g} times its even share of the tokens of a call, earlier ones first, and "
    "others go on unchanged: `load(capacity_factor={all})` leaves none out."
)


def model_card(
    manifest: RunManifest,
    content: CheckpointContent,
    samples: int,
    evaluations: Sequence[tuple[int, float]],
    notes: Sequence[str] = (),
    contributors: str = NOBODY_NAMED,
    *,
    has_adapters: bool,
) -> str:
    """The card of that checkpoint, of so many samples; ``evaluations`` are epochs and held-out losses, by rising epoch.

    ``notes`` are lines about its training that a recipe adds; ``contributors`` are the words of who is named.
    """
    run = manifest.run
    parts = (
        *_metadata(manifest, has_adapters),
        f"# {run.name}",
        run.description,
        "## Use",
        _use(manifest, has_adapters),
        "## Training",
        "\n".join([*_training(manifest, content, samples), *(f"- {note}" for note in notes)]),
        "## Evaluation",
        _evaluation(evaluations, content),
        "## Contributors",
        f"This model was trained by volunteers. {contributors}",
        "## Licence",
        _licence(run.license),
    )
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def contributor_words(contributors: Sequence[Contributor], further: int) -> str:
    """Who is named, and that ``further`` ones have agreed to be; names are strangers' words, each in a span of code.

    In such a span nothing is a link, a tag or Markdown but the backtick, which ends it. A name is the last on its line:
    its letters may be written from right to left, and figures after them would be, too.
    """
    lines = [f"- {each.samples:,} samples: `{name}`" for each in contributors if (name := _code(each.name))]
    if not lines:
        return NOBODY_NAMED
    more = [f"- and {further:,} more"] if further else []
    return "\n".join([_NAMED, "", *lines, *more])


def _code(name: str) -> str:
    return sanitize_line(name, MAX_NAME_CHARACTERS).replace("`", "'")


def _metadata(manifest: RunManifest, has_adapters: bool) -> Iterator[str]:
    """The card's YAML; its values are ours, or names of repositories, whose letters are bounded."""
    kind = manifest.recipe.__struct_config__.tag
    lines = ["---"]
    if not isinstance(manifest.recipe, ArithmeticGPT | MoeLM):
        lines.append(f"library_name: {'peft' if has_adapters else 'transformers'}")
        lines.append(f"pipeline_tag: {_PIPELINES[str(kind)]}")
        if (begin := manifest.recipe.pretrained) is not None:
            lines.append(f"base_model: {begin.repository}")
    if isinstance(manifest.data, HubDataset | HubImages):
        lines += ["datasets:", f"- {manifest.data.repository}"]
    lines += ["tags:", "- workerbee", "- collaborative-training"]
    lines.append("# license: (empty: the organiser fills in a licence that base model and data allow, as apache-2.0)")
    yield "\n".join([*lines, "---"])


def _use(manifest: RunManifest, has_adapters: bool) -> str:
    recipe = manifest.recipe
    match recipe:
        case MoeLM():
            return _use_of_experts(recipe)
        case ArithmeticGPT():
            return _python("from model import load", "", "print(load().add(7, 5))")
        case ImageClassification():
            opens = "from transformers import AutoImageProcessor, AutoModelForImageClassification"
            return _python(
                opens,
                "",
                'model = AutoModelForImageClassification.from_pretrained(".")',
                'processor = AutoImageProcessor.from_pretrained(".")',
            )
        case CausalLM() | MaskedLM():
            kind = _AUTO_CLASSES[str(recipe.__struct_config__.tag)]
            base = f"{BASE!r}" if recipe.pretrained is None else _quoted_base(recipe.pretrained)
            loads = (
                [f"base = {kind}.from_pretrained({base})", 'model = PeftModel.from_pretrained(base, ".")']
                if has_adapters
                else [f'model = {kind}.from_pretrained(".")']
            )
            imports = ["from peft import PeftModel"] if has_adapters else []
            code = _python(
                *imports,
                f"from transformers import AutoTokenizer, {kind}",
                "",
                *loads,
                'tokenizer = AutoTokenizer.from_pretrained(".")',
            )
            return f"{code}\n\nNo marks of a text's beginning were trained: `tokenizer(…, add_special_tokens=False)`."
        case _:
            assert_never(recipe)


def _use_of_experts(recipe: MoeLM) -> str:
    code = _python(
        "from transformers import AutoTokenizer",
        "",
        "from model import load",
        "",
        'tokenizer = AutoTokenizer.from_pretrained(".")',
        'tokens = tokenizer("The bees", add_special_tokens=False)["input_ids"]',
        "print(tokenizer.decode(load().continued(tokens, 40)))",
    )
    return f"{code}\n\n{_CAPACITY.format(factor=recipe.experts.capacity_factor, all=recipe.experts.experts)}"


def _quoted_base(pretrained: object) -> str:
    repository, revision = getattr(pretrained, "repository", ""), getattr(pretrained, "revision", "")
    return f'"{repository}", revision="{revision}"'


def _python(*lines: str) -> str:
    return "\n".join(["```python", *lines, "```"])


def _training(manifest: RunManifest, content: CheckpointContent, samples: int) -> Iterator[str]:
    run, together = manifest.run, manifest.collaboration
    yield f"- Run: `{run.id}`, trained with Workerbee by many computers, on [hivemind](https://github.com/learning-at-home/hivemind)"
    yield f"- Epochs: {content.epoch:,}, of about {samples // max(1, content.epoch):,} samples each"
    yield f"- Samples: about {samples:,}"
    yield f"- Mode: {together.mode}; optimizer: {manifest.optimizer.__struct_config__.tag}"
    yield f"- Data: {_data(manifest.data)}"
    if run.homepage:
        yield f"- Homepage: {run.homepage}"
    if run.contact:
        yield f"- Contact: {run.contact}"


def data_notes(changes: Iterable[DataChange]) -> Iterator[str]:
    """Lines about the data that took the place of the run file's while the run went on, by rising epoch."""
    for each in changes:
        yield f"Data from epoch {each.from_epoch:,} on: {_data(each.data)}"


def _data(data: DataSpec) -> str:
    match data:
        case SumsData():
            return f"sums of two numbers of at most {data.digits} digits, made up by every computer"
        case TextFiles() | ImageFiles():
            return "files: " + ", ".join(file.url for file in data.files)
        case HubDataset() | HubImages():
            return f"`{data.repository}` at commit `{data.revision}`, split `{data.split}`"
        case _:
            assert_never(data)


def _evaluation(evaluations: Sequence[tuple[int, float]], content: CheckpointContent) -> str:
    """The curve as a table; the loss of the checkpoint itself where no other is known."""
    rows = [each for each in evaluations if each[0] <= content.epoch]
    if not rows and content.loss is not None:
        rows = [(content.epoch, content.loss)]
    if not rows:
        return "No evaluation was kept."
    table = "\n".join(f"| {epoch} | {loss:.4f} |" for epoch, loss in rows)
    return f"Mean cross-entropy in nats, on samples that nobody trains on.\n\n| epoch | loss |\n|---|---|\n{table}"


def _licence(named: str) -> str:
    words = (
        "The field `license` above is empty: the organiser fills it in, as the base model and the data allow. "
        "Until then nobody is allowed anything by this card."
    )
    return f"{words}\n\nThe run's description says: {named}" if named else words
