"""Image models: their size, that they learn, and that others' weights are used if they are of that shape."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch

from core.errors import ErrorKind, UserError
from core.protocol.examples import MAX_SIDE
from core.run.manifest import decode_manifest
from core.run.run_file import parse_run_file
from core.run.spec.data import HubImages, SumsData
from core.run.spec.image_models import ViT
from core.run.spec.recipe import ArithmeticGPT, ImageClassification, Pretrained
from core.run.spec.recipe_cost import size_of
from core.worker.data import LabelledImages
from core.worker.recipes import Batch
from core.worker.recipes.image_classifier import ImageClassifier, limit_evaluation, picture_of
from core.worker.recipes.initialization import model_from_scratch
from core.worker.recipes.transformers_factory import build_classifier
from tests.worker.recipes.saved_tensors import saved_bytes

CPU = torch.device("cpu")
SIDE = 16
NUMBERS: dict[str, Any] = {
    "image_size": SIDE,
    "patch_size": 4,
    "num_labels": 3,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
}
SPEC = ImageClassification(config=ViT(**NUMBERS))
RUN = """
[run]
id = "pictures"
name = "Pictures"

[recipe]
kind = "image-classification"
image_mean = [0.5, 0.5, 0.5]

[recipe.config]
model_type = "vit"
image_size = 32
patch_size = 4
num_labels = 3
hidden_size = 32
num_hidden_layers = 2
num_attention_heads = 4

[data]
kind = "hub-images"
repository = "somebody/pictures"
revision = "0123456789012345678901234567890123456789"
class_names = ["red", "green", "blue"]

[collaboration]
target_batch_size = 1000
batch_size_per_step = 4
"""


class Walls:
    """Images of one colour each, with some noise: easily learned, in each peer's own order."""

    def __init__(self, seed: int) -> None:
        self._generator = torch.Generator().manual_seed(seed)
        self.is_closed = False

    def draw(self, images: int) -> LabelledImages:
        classes = torch.randint(3, (images,), generator=self._generator)
        pixels = torch.randint(100, (images, 3, SIDE, SIDE), generator=self._generator, dtype=torch.uint8)
        pixels[torch.arange(images), classes] += 60
        return LabelledImages(pixels, classes)

    def held_out(self) -> LabelledImages:
        return Walls(0).draw(64)

    def name(self, number: int) -> str:
        return ("red", "green", "blue")[number]

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def made(spec: ImageClassification = SPEC, folder: Path | None = None, seed: int = 1) -> ImageClassifier:
    """That recipe with the walls."""
    torch.manual_seed(seed)
    return build_classifier(spec, Walls(seed), device=CPU, folder=folder)


def changed(**numbers: Any) -> ImageClassification:
    """The recipe with other words."""
    return msgspec.structs.replace(SPEC, **numbers)


def test_each_colour_is_taken_as_far_from_the_mean_as_the_run_says() -> None:
    recipe = made(changed(image_mean=(0.1, 0.2, 0.3), image_std=(0.5, 0.25, 1.0)))
    seen = list[torch.Tensor]()
    recipe.model.register_forward_pre_hook(
        lambda _model, _words, named: seen.append(named["pixel_values"]), with_kwargs=True
    )
    grey = torch.full((1, 3, SIDE, SIDE), 51, dtype=torch.uint8)  # a fifth of white
    recipe.loss(Batch(grey, torch.zeros(1, dtype=torch.long)))
    assert seen[0].mean(dim=(0, 2, 3)).tolist() == pytest.approx([0.2, 0.0, -0.1], abs=1e-6)


def teach(pupil: ImageClassifier, steps: int) -> None:
    optimizer = torch.optim.AdamW(pupil.model.parameters(), lr=3e-3)
    for _ in range(steps):
        if pupil.backward(pupil.loss(pupil.draw(16))):
            optimizer.step()
        optimizer.zero_grad()


def gradient(recipe: ImageClassifier, batch: Any) -> list[torch.Tensor]:
    recipe.model.zero_grad()
    recipe.backward(recipe.loss(batch))
    return [each.grad.clone() for each in recipe.model.parameters() if each.grad is not None]


@pytest.mark.parametrize(
    "config",
    [
        ViT(**NUMBERS),
        ViT(**(NUMBERS | {"patch_size": 8, "num_labels": 7})),
        ViT(**(NUMBERS | {"intermediate_size": None})),
    ],
)
def test_the_parameters_are_the_models(config: ViT) -> None:
    spec = ImageClassification(config=config)
    size = size_of(spec, SumsData())
    assert size.parameters == size.trained == sum(each.numel() for each in model_from_scratch(spec).parameters())


def test_a_model_learns_which_colour_a_wall_has() -> None:
    pupil = made()
    before = pupil.evaluate()
    teach(pupil, steps=40)
    after = pupil.evaluate()
    assert before.loss == pytest.approx(math.log(3), abs=0.5)
    assert after.accuracy > 0.9 > before.accuracy and after.loss < before.loss / 2
    assert {example.text for example in after.examples if example.correct} <= {
        f"{name} ▸ {name}" for name in ("red", "green", "blue")
    }
    assert pupil.model.training


def test_the_pictures_of_the_answers_are_the_held_out_ones_and_small() -> None:
    recipe = made()
    for example in recipe.evaluate().examples:
        assert example.picture is not None and example.picture.side == SIDE
        colours = torch.tensor(list(example.picture.rgb)).view(-1, 3).float().mean(0)
        assert ("red", "green", "blue")[int(colours.argmax())] == example.question
    large = torch.zeros(3, 100, 100, dtype=torch.uint8)
    large[0, :50] = 200  # its upper half is red
    small = picture_of(large)
    assert small.side == MAX_SIDE and small.rgb[:3] == bytes((200, 0, 0)) and small.rgb[-3:] == bytes(3)


def test_everybody_begins_with_the_same_model_and_draws_images_of_its_own() -> None:
    one, other = made(seed=1), made(seed=2)
    assert one.evaluate().loss == other.evaluate().loss
    assert not torch.equal(one.draw(3).inputs, other.draw(3).inputs)


@pytest.mark.parametrize(("precision", "kind"), [("bf16", torch.bfloat16), ("fp16", torch.float16)])
def test_half_precision_gives_the_same_gradient_to_its_last_digits(precision: Any, kind: torch.dtype) -> None:
    tolerance = 8 * torch.finfo(kind).eps  # attention's biases for keys have none, but for rounding errors
    exact, half = made(), made(changed(precision=precision))
    batch = exact.draw(4)
    for mine, theirs in zip(gradient(half, batch), gradient(exact, batch), strict=True):
        assert mine.dtype == torch.float32
        assert torch.linalg.vector_norm(mine - theirs) <= tolerance * torch.linalg.vector_norm(theirs) + 1e-5


def test_checkpoints_keep_less_and_change_nothing() -> None:
    plain, lean = made(), made(changed(gradient_checkpointing=True))
    batch = plain.draw(4)
    assert saved_bytes(lean, batch) < saved_bytes(plain, batch)
    for mine, theirs in zip(gradient(lean, batch), gradient(plain, batch), strict=True):
        torch.testing.assert_close(mine, theirs)
    smaller = size_of(changed(gradient_checkpointing=True), SumsData()).kept_floats
    assert smaller < size_of(SPEC, SumsData()).kept_floats


def test_backward_keeps_about_what_is_estimated() -> None:
    """Within a factor of two of what autograd really saves."""
    wide = ImageClassification(config=ViT(**(NUMBERS | {"hidden_size": 64, "num_hidden_layers": 4})))
    recipe = made(wide)
    weights = sum(4 * each.numel() for each in recipe.model.parameters())
    kept = saved_bytes(recipe, recipe.draw(64)) - weights
    assert 0.5 < kept / (4 * 64 * size_of(wide, SumsData()).kept_floats) < 2


def test_a_large_model_is_asked_about_fewer_images() -> None:
    held_out = LabelledImages(torch.zeros(256, 3, 1, 1), torch.zeros(256))

    def asked(parameters: int) -> int:
        model = torch.nn.Linear(1, parameters, bias=False, device="meta")
        return len(limit_evaluation(held_out, model, patches=196).classes)

    assert [asked(1_000_000), asked(20_000_000), asked(1_000_000_000)] == [256, 63, 16]


def test_closing_it_lets_go_of_the_data() -> None:
    walls = Walls(1)
    build_classifier(SPEC, walls, device=CPU).close()
    assert walls.is_closed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small model that somebody has taught something."""
    pupil = made()
    teach(pupil, steps=40)
    model: Any = pupil.model
    model.save_pretrained(tmp_path)
    return tmp_path


BEGIN = Pretrained(repository="somebody/small", revision="0" * 40)


def test_somebodys_weights_are_begun_with(folder: Path) -> None:
    assert made(changed(pretrained=BEGIN), folder).evaluate().accuracy > 0.9


def test_an_output_for_other_classes_begins_anew_the_same_on_every_peer(folder: Path) -> None:
    config = msgspec.structs.replace(SPEC.config, num_labels=5)
    spec = changed(pretrained=BEGIN, config=config)
    one, other = (dict(made(spec, folder, seed).model.named_parameters()) for seed in (1, 2))
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert one["classifier.weight"].shape == (5, 32)
    taught = dict(made(changed(pretrained=BEGIN), folder).model.named_parameters())
    assert [name for name in one if name.startswith("vit.") and not torch.equal(one[name], taught[name])] == []


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ({"hidden_size": 48}, "its hidden_size is 48, and the run says 32"),
        ({"patch_size": 8}, "its patch_size is 8, and the run says 4"),
        ({"num_channels": 1}, "its num_channels is 1, and the run says 3"),
        ({"model_type": "bert"}, "it is of the family bert, and the run says vit"),
    ],
)
def test_a_model_of_another_shape_is_refused(folder: Path, numbers: dict[str, Any], said: str) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | numbers))
    assert said in why_refused(folder)


def why_refused(folder: Path, **words: Any) -> str:
    with pytest.raises(UserError) as caught:
        made(changed(pretrained=BEGIN, **words), folder)
    assert caught.value.problem is ErrorKind.FILES_REFUSED
    return str(caught.value.detail)


def test_weights_of_another_shape_than_their_config_says_are_refused(folder: Path) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"intermediate_size": 64}))
    config = msgspec.structs.replace(SPEC.config, intermediate_size=64)
    assert "has another shape than the run says" in why_refused(folder, config=config)


def test_a_run_with_images_survives_being_signed() -> None:
    manifest = parse_run_file(RUN)
    assert decode_manifest(msgspec.json.encode(manifest)) == manifest
    assert isinstance(manifest.data, HubImages)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"vit"', '"resnet"', '[recipe.config] model_type = "resnet": must be "vit"'),
        ("patch_size = 4", "patch_size = 5", "image_size 32 must be a multiple of patch_size 5"),
        ("image_size = 32\npatch_size = 4", "image_size = 512\npatch_size = 2", "65536 patches; at most"),
        ("hidden_size = 32", "hidden_size = 30", "hidden_size 30 cannot be shared evenly by 4 heads"),
        ("[0.5, 0.5, 0.5]", "[0.5, 0.5]", "[recipe] image_mean = "),
        ("[0.5, 0.5, 0.5]", "[0.5, 0.5, 2]", "[recipe] image_mean #3 = 2: must be at most 1.0"),
        ("num_labels = 3", "num_labels = 4", "there are 3 class_names, and num_labels is 4"),
        ('"blue"', '"red"', "class_names must be different from each other"),
        ('kind = "hub-images"', 'kind = "sums"', "[data]"),
        ('"0123456789012345678901234567890123456789"', '"main"', "[data] revision = "),
    ],
)
def test_a_mistake_in_a_run_with_images_is_named(old: str, new: str, said: str) -> None:
    assert old in RUN
    with pytest.raises(UserError) as caught:
        parse_run_file(RUN.replace(old, new, 1))
    assert caught.value.problem is ErrorKind.RUN_FILE_WRONG
    assert said in str(caught.value.detail)


def test_images_are_nothing_for_other_recipes_nor_sums_for_this_one() -> None:
    manifest = parse_run_file(RUN)
    with pytest.raises(ValueError, match='needs "image-files" or "hub-images"'):
        msgspec.structs.replace(manifest, data=SumsData())
    with pytest.raises(ValueError, match='"hub-images"; it needs "sums"'):
        msgspec.structs.replace(manifest, recipe=ArithmeticGPT())


def test_a_model_whose_evaluation_fails_can_be_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = made()
    monkeypatch.setattr(recipe, "_logits", None)
    with pytest.raises(TypeError):
        recipe.evaluate()
    assert recipe.model.training
