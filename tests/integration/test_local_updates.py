"""Local updates: every volunteer steps its own parameters, which are averaged once an epoch."""

from __future__ import annotations

import msgspec
import pytest

from core.run.spec.optimizer import AdamW
from tests.support.learning_rows import Member, Outcome, Row, learn
from tests.support.real_peers import Crew, tiny

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(600)]

LEARNED = 2 / 3  # of the untrained loss is left
AGREED = 0.02  # of the way that they have come lies between two members
EPOCHS = 6
