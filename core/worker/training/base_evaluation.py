"""The held-out loss of the base weights of local SGD, from which each peer's own have gone on."""

from __future__ import annotations

import msgspec

from core.protocol.events import Evaluated
from core.worker.compute.kept_weights import fill, kept_weights
from core.worker.recipes import Recipe
from core.worker.swarm import LocalSgdOptimizer, SwarmOptimizer


def of_base_weights(evaluated: Evaluated, recipe: Recipe, optimizer: SwarmOptimizer) -> Evaluated:
    """The same epoch's, with the loss of the weights that all peers have in common; the model's own are put back.

    Whoever signs a loss signs the root of those weights with it, and newcomers compare a state with both. The loss of
    weights that have learned alone, in rounds that came to nothing above all, would have them refuse the run's state.
    With gradients, and for a keeper, the model has those weights: ``evaluated`` is returned as it is, and so is what
    was not measured.
    """
    if not isinstance(optimizer, LocalSgdOptimizer) or not optimizer.needs_gradient or evaluated.accuracy is None:
        return evaluated
    places = list(optimizer.state_averager.main_parameters)
    with kept_weights(places):
        fill(places, optimizer.base_weights())
        return msgspec.structs.replace(evaluated, loss=recipe.evaluate().measured_loss)
