"""The words of the command line about rules that cannot see on this computer: each once, and never in silence."""

from __future__ import annotations

import sys
from collections.abc import Callable

from core.availability.observation import Observation
from core.availability.rules import AvailabilityRules
from core.availability.unobserved_rules import UnobservedRulesNews, unobserved_rules
from core.cli.output.wrapping import print_wrapped
from core.texts.settings.unobserved_rules import unobserved_words


class UnobservedRulesPrinter:
    """Prints at the first look which rules are unobserved, and later which have become so; on stderr, as warnings."""

    def __init__(self, rules: Callable[[], AvailabilityRules], has_gpu: bool) -> None:
        self._rules, self._has_gpu = rules, has_gpu
        self._news = UnobservedRulesNews()

    def look(self, seen: Observation) -> None:
        """Print what is news in that observation; to be called with each."""
        new = self._news.look(unobserved_rules(self._rules(), seen, has_gpu=self._has_gpu), seen.monotonic)
        for rule in new:
            print_wrapped(f"Note: {unobserved_words(rule)}", sys.stderr)
