"""How many experts a computer hosts, by their memory and by what its owner allows."""

from __future__ import annotations

import psutil

from core.run.manifest import RunManifest
from core.run.requirements import estimate_requirements
from core.run.spec.experts import MOST_HOSTED

FREE_SHARE = 0.25  # of the ordinary memory that is free


def expert_capacity(manifest: RunManifest, most: int | None = None, free_bytes: int | None = None) -> int:
    """How many experts fit: ``most`` at the most, if that is given, and at least one; 0 for a run without experts.

    They are no more than an announcement may hold.
    """
    experts = estimate_requirements(manifest).experts
    if experts is None:
        return 0
    free = psutil.virtual_memory().available if free_bytes is None else free_bytes
    fit = max(1, int(FREE_SHARE * free) // experts.state_bytes)
    return min(experts.count, fit, MOST_HOSTED if most is None else most)
