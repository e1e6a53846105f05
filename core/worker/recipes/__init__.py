"""The closed set of things a run can train: the manifest names one and fills in its numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import msgspec
import torch

from core.errors import ErrorKind, UserError
from core.localizable import localized
from core.run.manifest import RunManifest
from core.run.spec.data import HubDataset, HubImages, ImageFiles, SumsData, TextFiles
from core.run.spec.recipe import ArithmeticGPT, CausalLM, ImageClassification, MaskedLM, MoeLM
from core.worker.fetch.file_store import FetchContext
from core.worker.recipes.arithmetic_gpt import ArithmeticRecipe
from core.worker.recipes.image_classifier import ImageClassifier
from core.worker.recipes.language_model import LanguageModel
from core.worker.recipes.mixture_language_model import MixtureLanguageModel
from core.worker.recipes.recipe import Batch, Evaluation, Example, Recipe
from core.worker.recipes.synthetic_data import SyntheticBlocks, SyntheticImages
from core.worker.recipes.transformers_factory import (
    build_classifier,
    build_language_model,
    fetch_and_build_classifier,
    fetch_and_build_language_model,
    fetch_and_build_mixture,
    open_images_of,
    open_text_of,
)

__all__ = [
    "Batch",
    "Evaluation",
    "Example",
    "FetchContext",
    "MixtureLanguageModel",
    "Recipe",
    "build",
    "build_synthetic",
    "open_other_data",
]


def build(manifest: RunManifest, *, seed: int, device: torch.device, context: FetchContext | None = None) -> Recipe:
    """Build the manifest's recipe on that device; raises UserError for what cannot be fetched or used.

    ``seed`` is the peer's own: it chooses the samples that the peer draws and, through torch's own generator,
    its dropout masks. The initial weights come from the manifest alone. A recipe that makes up its samples
    needs no ``context``.
    """
    torch.manual_seed(seed)
    match manifest.recipe, manifest.data:
        case ArithmeticGPT() as numbers, SumsData() as sums:
            return ArithmeticRecipe(numbers, sums, seed=seed, device=device)
        case (CausalLM() | MaskedLM()) as spec, (TextFiles() | HubDataset()) as text if context:
            return fetch_and_build_language_model(spec, text, seed=seed, device=device, context=context)
        case MoeLM() as spec, (TextFiles() | HubDataset()) as text if context:
            return fetch_and_build_mixture(spec, text, seed=seed, device=device, context=context)
        case ImageClassification() as spec, (ImageFiles() | HubImages()) as images if context:
            return fetch_and_build_classifier(spec, images, seed=seed, device=device, context=context)
        case _:
            raise UserError(ErrorKind.MANIFEST_REFUSED, localized("Its recipe cannot learn from its data."))


def open_other_data(recipe: Recipe, manifest: RunManifest, seed: int, context: FetchContext) -> Callable[[], None]:
    """Open the manifest's data for a recipe that was built with others of their kind; raises UserError.

    It may take long, in any thread. What it returns has the recipe draw from these and evaluate on them.
    """
    match recipe, manifest.recipe, manifest.data:
        case LanguageModel(), (CausalLM() | MaskedLM() | MoeLM()) as spec, (TextFiles() | HubDataset()) as text:
            return partial(recipe.use, open_text_of(spec, text, seed, context))
        case ImageClassifier(), ImageClassification() as vision, (ImageFiles() | HubImages()) as images:
            return partial(recipe.use, open_images_of(vision, images, seed, context))
        case _:
            raise UserError(ErrorKind.MANIFEST_REFUSED, localized("Its recipe cannot learn from its data."))


def build_synthetic(manifest: RunManifest, device: torch.device) -> Recipe:
    """Build a model of the run's shape with random weights and random samples; nothing is fetched.

    It is not compiled, which would take longer than a dry run may. Raises UserError for what cannot be
    known without the run's own weights.
    """
    match manifest.recipe:
        case ArithmeticGPT():
            return build(manifest, seed=0, device=device)
        case CausalLM(quantization=None) | MaskedLM(quantization=None) as spec:
            plain = msgspec.structs.replace(spec, compile=False)
            return build_language_model(plain, SyntheticBlocks(spec), seed=0, device=device)
        case MoeLM() as mixture:
            return MixtureLanguageModel(mixture, SyntheticBlocks(mixture), device)
        case ImageClassification() as spec:
            plain_one = msgspec.structs.replace(spec, compile=False)
            return build_classifier(plain_one, SyntheticImages(spec), device=device)
        case _:
            raise UserError(ErrorKind.FIT_UNKNOWN, localized("Its weights are needed for that, in fewer bits."))
