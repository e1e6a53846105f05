"""What a sign beside a sentence means."""

from __future__ import annotations

from typing import Literal

Severity = Literal["good", "caution", "bad", "unknown", "info"]
