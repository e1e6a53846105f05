"""What a sign beside a sentence means."""

from __future__ import annotations

from typing import Literal

Meaning = Literal["good", "caution", "bad", "unknown", "info"]
