"""The words of the command line about rules that cannot see on this computer: each once, and never in silence."""

from __future__ import annotations

import sys

from core.availability.blind_rules import BlindRulesNews, blind_rules
from core.availability.observation import Observation
from core.availability.rules import AvailabilityRules
from core.texts.settings.blind_rules import blind_words


class BlindRulesPrinter:
    """Prints at the first look which rules are blind, and later which have become so; on stderr, as a warning is."""

    def __init__(self, rules: AvailabilityRules, has_gpu: bool) -> None:
        self._rules, self._has_gpu = rules, has_gpu
        self._news = BlindRulesNews()

    def look(self, seen: Observation) -> None:
        """Print what is news in that observation; to be called with each."""
        new = self._news.look(blind_rules(self._rules, seen, has_gpu=self._has_gpu), seen.monotonic)
        for rule in new:
            print(f"Note: {blind_words(rule)}", file=sys.stderr, flush=True)
