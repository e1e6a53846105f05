"""The image models that a run may name, with `transformers`' own names for their numbers.

Only such as have no batch norm: hivemind averages parameters, and a batch norm's running means are none.
Every peer would measure, and hand to newcomers, another model than the one that all of them train.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from core.localizable import localized
from core.schema import Fraction, StrictStruct

MOST_PATCHES = 16_384


class ViT(StrictStruct, tag_field="model_type", tag="vit", kw_only=True, frozen=True):
    """Cuts a square image into patches and reads them as a language model reads tokens; sizes in pixels.

    ``num_labels`` is how many classes there are; ``intermediate_size`` is four times ``hidden_size`` where
    nothing is said. Dosovitskiy and others, arXiv:2010.11929.
    """

    image_size: Annotated[int, Meta(ge=8, le=1024)]
    """The height and width to which every image is brought, in pixels."""
    patch_size: Annotated[int, Meta(ge=1, le=256)]
    """The height and width of a patch, in pixels; a divisor of ``image_size``."""
    num_labels: Annotated[int, Meta(ge=2, le=100_000)]
    """The number of classes."""
    hidden_size: Annotated[int, Meta(ge=8, le=16_384)]
    """The size of the hidden state; a multiple of ``num_attention_heads``."""
    num_hidden_layers: Annotated[int, Meta(ge=1, le=128)]
    """The number of transformer layers."""
    num_attention_heads: Annotated[int, Meta(ge=1, le=256)]
    """The number of attention heads."""
    intermediate_size: Annotated[int, Meta(ge=8, le=65_536)] | None = None
    """The inner size of the feed-forward layers; without it, four times ``hidden_size``."""
    dropout: Fraction = 0.0
    """The share of activations that are dropped while training."""

    def __post_init__(self) -> None:
        if self.hidden_size % self.num_attention_heads:
            raise ValueError(
                localized(
                    "hidden_size %1 cannot be shared evenly by %2 heads", self.hidden_size, self.num_attention_heads
                )
            )
        if self.image_size % self.patch_size:
            raise ValueError(
                localized("image_size %1 must be a multiple of patch_size %2", self.image_size, self.patch_size)
            )
        if self.patches > MOST_PATCHES:
            raise ValueError(
                localized("an image would have %1 patches; at most %2 are allowed", self.patches, MOST_PATCHES)
            )

    @property
    def patches(self) -> int:
        """The number of patches of one image."""
        return (self.image_size // self.patch_size) ** 2

    @property
    def expanded_size(self) -> int:
        """The width of the feed-forward layers."""
        return self.intermediate_size or 4 * self.hidden_size


def image_parameters_of(config: ViT) -> int:
    """The number of the model's parameters, counted without building it; a test compares with the real one."""
    width, wide = config.hidden_size, config.expanded_size
    layer = 4 * (width + 1) * width + (width + 1) * wide + (wide + 1) * width + 4 * width
    patches = (3 * config.patch_size**2 + 1) * width
    positions = (config.patches + 2) * width  # and the one that gathers what is to be told
    return config.num_hidden_layers * layer + patches + positions + 2 * width + (width + 1) * config.num_labels
