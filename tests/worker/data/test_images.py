"""Images from Parquet files and a hub's data sets: decode_image within bounds, in an order of each peer's own."""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import torch
from PIL import Image

from core.errors import ErrorKind, UserError
from core.run.spec.data import FileAt, HubImages, ImageData, ImageFiles
from core.worker.data import Images, LabelledImages, open_images
from core.worker.data.image_decoding import MAX_BYTES, BrokenImageError, decode_image
from core.worker.data.image_labels import Labels
from core.worker.data.image_samples import ImageSamples
from core.worker.data.image_sources import EncodedImage
from core.worker.fetch.background_task import BackgroundTask
from core.worker.fetch.file_store import FileStore
from tests.support.environment.fake_hub import Hub, local_hub
from tests.support.recorders import RecordingListener
from tests.support.sample_images import COLOURS, NAMES, bomb, in_parquet, square, squares, write
from tests.worker.data.test_hub_datasets import end

SIDE, COUNT = 8, 240
SQUARES = squares(COUNT)
CLASSES = [number % 3 for number in range(COUNT)]


class Gallery:
    """Puts files on the hub, and opens them for peers that each have a folder of their own."""

    def __init__(self, home: Path, hub: Hub) -> None:
        self.home, self.hub = home, hub
        self.opened: list[Images] = []
        self.listener = RecordingListener()

    def put(self, *contents: bytes) -> tuple[FileAt, ...]:
        """Each at an address of its own."""
        named = {f"{number}.parquet": content for number, content in enumerate(contents)}
        published = self.hub.publish("dataset", "somebody/pictures", named)
        return tuple(
            FileAt(url=published.url(name), sha256=hashlib.sha256(data).hexdigest(), size_bytes=len(data))
            for name, data in named.items()
        )

    def files(self, *contents: bytes, seed: int = 1, **more: Any) -> Images:
        """Those files, opened."""
        return self.open(ImageFiles(files=self.put(*contents), **{"held_out_one_in": 8, **more}), seed)

    def open(self, data: ImageData, seed: int = 1) -> Images:
        """The data, opened by that peer."""
        store = FileStore(self.home / f"{seed}")
        images = open_images(data, size=SIDE, classes=3, seed=seed, store=store, listener=self.listener)
        self.opened.append(images)
        return images


@pytest.fixture
def gallery(tmp_path: Path, hub: Hub) -> Iterator[Gallery]:
    made = Gallery(tmp_path, hub)
    yield made
    end(*made.opened)


def each_of(images: LabelledImages) -> list[bytes]:
    """What tells images from each other."""
    return [pixels.numpy().tobytes() for pixels in images.pixels]


def are_right(images: LabelledImages) -> bool:
    """Whether the labels say what is to be seen."""
    strongest = images.pixels.float().mean((2, 3)).argmax(1)
    return torch.equal(strongest, images.classes)


def column(encoded: bytes) -> bytes:
    """A file whose image column is plain bytes."""
    return write(pa.table({"image": [encoded] * 40 + SQUARES, "label": [0] * 40 + CLASSES}))


def test_an_image_becomes_a_square_of_its_colours() -> None:
    pixels = decode_image(square(1, side=64, form="JPEG"), SIDE)
    assert pixels.shape == (3, SIDE, SIDE) and pixels.dtype == torch.uint8
    assert (pixels.float().mean((1, 2)) - torch.tensor(COLOURS[1])).abs().max() < 12


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16"])
def test_images_of_any_kind_have_three_colours(mode: str) -> None:
    file = io.BytesIO()
    Image.new(mode, (9, 5)).save(file, "PNG")
    assert decode_image(file.getvalue(), SIDE).shape == (3, SIDE, SIDE)


def in_format(form: str) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (9, 9)).save(file, form)
    return file.getvalue()


@pytest.mark.parametrize(
    ("encoded", "why"),
    [
        (bomb(), "6000 × 6000 pixels"),
        (b"", "not in the data itself"),
        (b"GIF89a", "cannot be read"),
        (in_format("GIF"), "cannot be read"),
        (in_format("TIFF"), "cannot be read"),
        (b"\x89PNG\r\n\x1a\n" + bytes(500), "cannot be read"),
        (square(0)[:-40], "cannot be read"),
        (square(0, 64, "JPEG")[:-200], "cannot be read"),
        (bytes(MAX_BYTES + 1), "bytes, and at most"),
    ],
)
def test_what_is_broken_or_would_fill_the_memory_is_refused(encoded: bytes, why: str) -> None:
    assert len(bomb()) < 10_000
    with pytest.raises(BrokenImageError, match=why):
        decode_image(encoded, SIDE)


def test_all_images_are_drawn_but_those_that_are_held_out(gallery: Gallery) -> None:
    images = gallery.files(in_parquet(SQUARES[:120], CLASSES[:120]), in_parquet(SQUARES[120:], CLASSES[120:]))
    held_out = images.held_out()
    once = COUNT - len(held_out.classes)
    first, second = images.draw(once), images.draw(once)
    assert are_right(held_out) and are_right(first)
    assert 10 < len(held_out.classes) < 60
    assert len({*each_of(first), *each_of(held_out)}) == COUNT
    assert sorted(each_of(first)) == sorted(each_of(second)) and each_of(first) != each_of(second)


def test_every_peer_has_an_order_of_its_own_and_the_same_held_out(gallery: Gallery) -> None:
    data = ImageFiles(files=gallery.put(in_parquet(SQUARES, CLASSES)), held_out_one_in=8)
    one, other = gallery.open(data, seed=1), gallery.open(data, seed=2)
    assert each_of(one.held_out()) == each_of(other.held_out())
    assert each_of(one.draw(20)) != each_of(other.draw(20))
    again = gallery.open(data, seed=1)
    assert each_of(again.held_out()) == each_of(one.held_out())


def test_a_split_of_a_hubs_data_set_is_streamed(gallery: Gallery) -> None:
    files = {
        "data/train-00000-of-00001.parquet": in_parquet(SQUARES, CLASSES),
        "data/test-00000-of-00001.parquet": in_parquet(SQUARES[:2], CLASSES[:2]),
    }
    published = gallery.hub.publish("dataset", "somebody/squares", files)
    data = HubImages(repository=published.name, revision=published.revision, held_out_one_in=8)
    images = gallery.open(data)
    drawn = images.draw(COUNT - len(images.held_out().classes))
    assert are_right(drawn) and are_right(images.held_out())
    assert len({*each_of(drawn), *each_of(images.held_out())}) == COUNT


def test_places_that_a_data_set_names_are_never_opened(gallery: Gallery, tmp_path: Path) -> None:
    """The library `datasets` would: of this computer, and of any address."""
    private = tmp_path / "private.png"
    private.write_bytes(square(0))
    elsewhere = gallery.hub.publish("dataset", "somebody/secret", {"secret.png": square(1)})
    nosy = [{"bytes": None, "path": path} for path in (str(private), elsewhere.url("secret.png"))]
    table = pa.table(
        {
            "image": pa.array(
                nosy * 20 + [{"bytes": each, "path": None} for each in SQUARES],
                pa.struct({"bytes": pa.binary(), "path": pa.string()}),
            ),
            "label": [0] * 40 + CLASSES,
        }
    )
    features = {"image": {"_type": "Image"}, "label": {"dtype": "int64", "_type": "Value"}}
    about = {"huggingface": json.dumps({"info": {"features": features}})}
    published = gallery.hub.publish(
        "dataset", "somebody/nosy", {"train.parquet": write(table.replace_schema_metadata(about))}
    )
    images = gallery.open(HubImages(repository=published.name, revision=published.revision, held_out_one_in=8))
    drawn = images.draw(3 * COUNT)
    assert are_right(drawn)
    assert not {*each_of(drawn), *each_of(images.held_out())} - {
        decode_image(each, SIDE).numpy().tobytes() for each in SQUARES
    }
    assert gallery.hub.asked("secret.png") == []
    assert any("not in the data itself" in detail for _, detail in gallery.listener.warned)


@pytest.mark.parametrize("encoded", [bomb(), b"no image", square(0)[:-40]])
def test_broken_images_are_left_out_and_counted(gallery: Gallery, encoded: bytes) -> None:
    images = gallery.files(column(encoded))
    drawn = images.draw(2 * COUNT)
    assert are_right(drawn)
    told = [detail for problem, detail in gallery.listener.warned if problem is ErrorKind.IMAGES_LEFT_OUT]
    assert told and told[0].startswith("So far 1 of ")
    assert any(detail.startswith("So far 10 of ") for detail in told)


def test_an_image_without_a_label_is_left_out(gallery: Gallery) -> None:
    images = gallery.files(in_parquet(SQUARES, [None, *CLASSES[1:]]))
    images.draw(2 * COUNT)
    assert any("it has no label" in detail for _, detail in gallery.listener.warned)


@pytest.mark.parametrize(
    ("labels", "more"),
    [
        ([3] * COUNT, {}),
        ([-1] * COUNT, {}),
        ([1.0] * COUNT, {}),
        (["red"] * COUNT, {}),
        (["pink"] * COUNT, {"class_names": NAMES}),
    ],
)
def test_a_label_that_is_none_of_the_runs_is_refused(gallery: Gallery, labels: list[Any], more: dict[str, Any]) -> None:
    with pytest.raises(UserError, match="is none of the run's 3 classes") as refused:
        gallery.files(in_parquet(SQUARES, labels), **more)
    assert refused.value.problem is ErrorKind.FILES_REFUSED


def test_classes_may_be_names(gallery: Gallery) -> None:
    images = gallery.files(in_parquet(SQUARES, [NAMES[each] for each in CLASSES]), class_names=NAMES)
    assert are_right(images.draw(30))
    assert [images.name(number) for number in range(3)] == list(NAMES)


def test_without_a_single_image_that_can_be_used_the_run_is_refused(gallery: Gallery) -> None:
    with pytest.raises(UserError, match="no image in it that can be used"):
        gallery.files(in_parquet([b"broken"] * 10, [0] * 10))
    with pytest.raises(UserError, match="no image in it to train on"):
        gallery.files(in_parquet(SQUARES[:1], [0])).draw(1)


class Nothing:
    """A source that has no end, and nowhere an image."""

    def read(self, _order: random.Random, _task: BackgroundTask) -> Iterator[EncodedImage]:
        """Read on and on."""
        return itertools.repeat(EncodedImage(b"", 0))


def test_a_usable_image_is_not_looked_for_without_end(tmp_path: Path) -> None:
    samples = ImageSamples(Nothing(), Labels(3), size=SIDE, held_out_one_in=8, seed="1", listener=RecordingListener())
    try:
        with pytest.raises(UserError, match="no image in it that can be used") as refused:
            samples.load_validation_set(tmp_path / "held-out")
        assert refused.value.problem is ErrorKind.FILES_REFUSED
    finally:
        end(samples)


@pytest.mark.parametrize("missing", ["image_column", "label_column"])
def test_a_column_that_is_not_there_is_refused_in_words(gallery: Gallery, missing: str) -> None:
    named: dict[str, Any] = {missing: "sound"}
    with pytest.raises(UserError, match="no column “sound”"):
        gallery.files(in_parquet(SQUARES, CLASSES), **named)


def test_the_second_start_needs_no_network(tmp_path: Path) -> None:
    with local_hub() as hub:
        gallery = Gallery(tmp_path, hub)
        data = ImageFiles(files=gallery.put(in_parquet(SQUARES, CLASSES)), held_out_one_in=8)
        first = gallery.open(data).held_out()
    again = gallery.open(data)
    assert each_of(again.held_out()) == each_of(first)
    again.draw(10)
    end(*gallery.opened)
