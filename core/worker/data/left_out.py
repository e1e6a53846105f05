"""Counts the images that cannot be used, and tells a person now and then."""

from __future__ import annotations

import logging

from core.problems import Problem
from core.worker.errand import Errand

log = logging.getLogger(__name__)


class LeftOut:
    """A person is told of the first, the tenth, the hundredth and so on."""

    def __init__(self) -> None:
        self.seen = self.count = 0
        self._told_next = 1

    def note(self, why: str, errand: Errand) -> None:
        """One more."""
        self.count += 1
        if self.count < self._told_next:
            return
        self._told_next *= 10
        words = f"So far {self.count:,} of {self.seen:,}; of the last one, {why}."
        log.warning("images are left out. %s", words)
        errand.warn(Problem.IMAGES_LEFT_OUT, words)
