"""What is said of images, as the numbers of classes."""

from __future__ import annotations

from core.problems import ClientError, Problem


class Labels:
    """So many classes; ``names`` are those that a column may hold in place of numbers."""

    def __init__(self, classes: int, names: tuple[str, ...] = ()) -> None:
        self._classes, self._names = classes, names
        self._numbers = {name: number for number, name in enumerate(names)}

    def number(self, label: object) -> int | None:
        """The class; ``None`` where nothing is said. Raises ClientError for what is no class of the run."""
        if label is None:
            return None
        number = self._numbers.get(label, -1) if isinstance(label, str) else label
        if type(number) is not int or not 0 <= number < self._classes:
            raise ClientError(
                Problem.FILES_REFUSED,
                f"The label {str(label)[:60]!r} of an image is none of the run's {self._classes} classes.",
            )
        return number

    def name(self, number: int) -> str:
        """What people call that class."""
        return self._names[number] if self._names else str(number)
