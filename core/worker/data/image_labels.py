"""Labels of images as class numbers, and the count of images that cannot be used."""

from __future__ import annotations

import logging

from core.errors import ErrorKind, UserError
from core.localizable import localized
from core.worker.data.image_decoding import BrokenImageError
from core.worker.fetch.background_task import BackgroundTask


class Labels:
    """The classes of a run; ``names`` are those that a column may hold in place of numbers."""

    def __init__(self, classes: int, names: tuple[str, ...] = ()) -> None:
        self._classes, self._names = classes, names
        self._numbers = {name: number for number, name in enumerate(names)}

    def number(self, label: object) -> int | None:
        """The class number of a label; ``None`` for no label. Raises UserError for what is not a class of the run."""
        if label is None:
            return None
        number = self._numbers.get(label, -1) if isinstance(label, str) else label
        if type(number) is not int or not 0 <= number < self._classes:
            raise UserError(
                ErrorKind.FILES_REFUSED,
                localized(
                    "The label %1 of an image is none of the run's %2 classes.", repr(str(label)[:60]), self._classes
                ),
            )
        return number

    def name(self, number: int) -> str:
        """The name of that class, or its number as text."""
        return self._names[number] if self._names else str(number)


log = logging.getLogger(__name__)


class SkippedImages:
    """Counts images that cannot be used, and warns at the first, the tenth, the hundredth and so on."""

    def __init__(self) -> None:
        self.seen = self.count = 0
        self._warn_at = 1

    def add(self, why: BrokenImageError, task: BackgroundTask) -> None:
        """Count one more image, with the reason why it cannot be used."""
        self.count += 1
        if self.count < self._warn_at:
            return
        self._warn_at *= 10
        words = localized("So far %1 of %2; of the last one, %3.", f"{self.count:,}", f"{self.seen:,}", why)
        log.warning("images are left out. %s", words)
        task.warn(ErrorKind.IMAGES_LEFT_OUT, words)
