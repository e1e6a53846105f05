"""Lint for run files: what is allowed, and yet is probably not what the organiser wants."""

from __future__ import annotations

from collections.abc import Iterator

from core.run.manifest import RunManifest
from core.run.requirements import ResourceRequirements, estimate_requirements
from core.run.round_estimate import HOME_GPU_FLOP_PER_SECOND, Line, estimate_round
from core.run.spec.collaboration import Collaboration
from core.run.spec.optimizer import Muon
from core.run.spec.recipe import ArithmeticGPT, CausalLM, MaskedLM

HOME_DOWNLOAD_BITS_PER_SECOND = 50e6
HOME_UPLOAD_BITS_PER_SECOND = 10e6
BATCHES_PER_PEER = 20  # fewer, and an epoch overshoots its target noticeably
LEAST_SILENCE_SECONDS = 3600
_LARGE_PARAMETERS = 1_000_000
_COMPUTED_FASTER = 10  # times as fast as its line feeds the hosts: then a computer mostly waits for its line
_MUON_FLOP = 25  # of each parameter, for each unit of width: 5 Newton-Schulz steps of 4 square matrices and 2 wide ones
_MUON_SHARE = 0.5  # of what a micro-batch computes; more is worth a word
_WAITING_SHARE = 0.05  # of the time that a round computes; to stand still for more is worth a word
_VOLUNTEERS = 10  # of a run that has some success
_FEW_STEPS = 5  # in a round; with fewer, averaging gradients sends no more
_LONG_UPLOAD_SECONDS = 300.0
_LARGE_WEIGHT = 16.0  # times the median: about from a laptop's GPU to the fastest for homes
_DOWNLOADS_PER_EPOCH = 3  # fewer, and a newcomer is behind again when its download is over


def lint(manifest: RunManifest) -> tuple[str, ...]:
    """The hints for a run, of a sentence or two each, with figures; none for a run that looks right."""
    needs = estimate_requirements(manifest)
    return (
        *_of_batches(manifest),
        *_of_epochs(manifest, needs),
        *_of_rounds(manifest, needs),
        *_of_overlap(manifest, needs),
        *_of_inner_steps(manifest, needs),
        *_of_newcomers(manifest, needs),
        *_of_weights(manifest.collaboration),
        *_of_sparse_changes(manifest.collaboration),
        *_of_muon(manifest, needs),
        *_of_local_updates(manifest.collaboration),
        *_of_succession(manifest),
        *_of_experts(needs),
        *_of_words(manifest),
    )


def _of_batches(manifest: RunManifest) -> Iterator[str]:
    collaboration = manifest.collaboration
    wanted = BATCHES_PER_PEER * collaboration.sure_batch_size
    if collaboration.target_batch_size < wanted:
        yield (
            f"[collaboration] target_batch_size = {collaboration.target_batch_size} is less "
            f"than {BATCHES_PER_PEER} × batch_size_per_step ({wanted}) for each peer: epochs will take "
            "noticeably more samples than you ask for, and early peers will wait for late ones."
        )


def _of_epochs(manifest: RunManifest, needs: ResourceRequirements) -> Iterator[str]:
    """A newcomer whose download takes longer than an epoch never catches up."""
    epoch_seconds = _epoch_seconds(manifest, needs)
    download_seconds = needs.download_bytes * 8 / HOME_DOWNLOAD_BITS_PER_SECOND
    if epoch_seconds < _DOWNLOADS_PER_EPOCH * download_seconds:
        yield (
            f"An epoch may last only about {epoch_seconds:.0f} s (one good home GPU), and a newcomer's "
            f"download about {download_seconds:.0f} s (50 Mbit/s). It should last {_DOWNLOADS_PER_EPOCH} to "
            "5 downloads, or newcomers never catch up: raise [collaboration] target_batch_size, or make the "
            "model smaller."
        )


def _epoch_seconds(manifest: RunManifest, needs: ResourceRequirements) -> float:
    """How long an epoch takes that one good home GPU computes alone."""
    computing = needs.sample_flop * manifest.collaboration.target_batch_size / HOME_GPU_FLOP_PER_SECOND
    computing = min(computing, manifest.collaboration.max_round_seconds or computing)
    return max(computing, manifest.collaboration.matchmaking_time)


def _of_rounds(manifest: RunManifest, needs: ResourceRequirements) -> Iterator[str]:
    """Overlap hides an exchange only while there is something left to compute."""
    collaboration, epoch_seconds = manifest.collaboration, _epoch_seconds(manifest, needs)
    seconds = needs.traffic_bytes * 8 / HOME_UPLOAD_BITS_PER_SECOND
    may_take = f"Averaging may take {seconds:.0f} s on a home uplink (10 Mbit/s)"
    if seconds > epoch_seconds and collaboration.mode == "local-sgd":
        yield (
            f"{may_take}, and a round lasts only about {epoch_seconds:.0f} s: it will last as long as its averaging. "
            "Raise [collaboration] target_batch_size or max_round_seconds."
        )
    elif seconds > epoch_seconds:
        yield (
            f"{may_take}, and an epoch lasts only about {epoch_seconds:.0f} s: computers will stand still meanwhile. "
            "Raise [collaboration] target_batch_size or average_state_every."
        )
    allowed = collaboration.averaging_timeout - collaboration.matchmaking_time
    is_limited = collaboration.mode == "gradients" or collaboration.allreduce_timeout is not None
    if is_limited and seconds > (collaboration.allreduce_timeout or allowed):
        who = "everybody gives" if collaboration.allreduce_timeout else "plain hivemind peers give"
        yield (
            f"{may_take}, and {who} up after {collaboration.allreduce_timeout or allowed:.0f} s: raise [collaboration] "
            f"{'allreduce_timeout' if collaboration.allreduce_timeout else 'averaging_timeout'}."
        )
    kinds = collaboration.grad_compression, collaboration.state_averaging_compression
    is_plain = collaboration.mode == "gradients" and "none" in kinds
    if is_plain and needs.parameters >= _LARGE_PARAMETERS:
        yield (
            f"A computer sends and receives up to {needs.traffic_bytes / 1e6:.0f} MB each in every epoch: "
            "float16 as [collaboration] grad_compression and state_averaging_compression is half as much."
        )


def _of_overlap(manifest: RunManifest, needs: ResourceRequirements) -> Iterator[str]:
    collaboration = manifest.collaboration
    if collaboration.mode == "local-sgd":
        line = Line(HOME_UPLOAD_BITS_PER_SECOND, HOME_DOWNLOAD_BITS_PER_SECOND)
        exchange = estimate_round(manifest, line, HOME_GPU_FLOP_PER_SECOND, volunteers=1).exchange_seconds
        computing = _epoch_seconds(manifest, needs)
        if collaboration.overlap == "none" and exchange > _WAITING_SHARE * computing:
            yield (
                f'[collaboration] overlap = "none": on a home uplink (10 Mbit/s) every computer stands still for '
                f'{exchange:.0f} s after each round of about {computing:.0f} s. With "delayed" it trains on meanwhile.'
            )
    elif not (collaboration.use_local_updates or collaboration.delay_grad_averaging):
        yield (
            "[collaboration] delay_grad_averaging = false: every computer stands still while the swarm "
            "averages, for seconds in every epoch."
        )


def _of_inner_steps(manifest: RunManifest, needs: ResourceRequirements) -> Iterator[str]:
    """A round in which nobody takes as many steps as the run asks for changes nothing."""
    collaboration = manifest.collaboration
    if collaboration.mode != "local-sgd":
        return
    least, micro_batch = collaboration.inner_steps_min, collaboration.sure_batch_size
    steps = collaboration.target_batch_size / (_VOLUNTEERS * micro_batch)
    if steps < least:
        yield (
            f"[collaboration] inner_steps_min = {least}, and of {_VOLUNTEERS} equal volunteers each takes about "
            f"{steps:.0f} steps in a round of {collaboration.target_batch_size} samples: their changes will not count. "
            "Raise target_batch_size, or lower inner_steps_min."
        )
    seconds = collaboration.max_round_seconds
    in_time = HOME_GPU_FLOP_PER_SECOND / (needs.sample_flop * micro_batch) * (seconds or 0.0)
    if seconds is not None and in_time < max(least, _FEW_STEPS):
        yield (
            f"[collaboration] max_round_seconds = {seconds:g} leaves a good home GPU time for about {in_time:.0f} "
            f"steps of {micro_batch} samples in a round, and inner_steps_min is {least}: raise max_round_seconds, "
            "or volunteers exchange more than they compute."
        )


def _of_newcomers(manifest: RunManifest, needs: ResourceRequirements) -> Iterator[str]:
    """Base weights are sent to every newcomer, by volunteers where nobody else offers them."""
    collaboration, seconds = manifest.collaboration, needs.download_bytes * 8 / HOME_UPLOAD_BITS_PER_SECOND
    if collaboration.mode == "local-sgd" and not collaboration.mirror and seconds > _LONG_UPLOAD_SECONDS:
        yield (
            f"Each newcomer downloads {needs.download_bytes / 1e6:.0f} MB from computers of the run, {seconds:.0f} s "
            "of a home uplink (10 Mbit/s). With [collaboration] mirror and publish --mirror a web server sends them."
        )


def _of_weights(collaboration: Collaboration) -> Iterator[str]:
    """Reports of samples are bounded by nothing but this."""
    if collaboration.weight_cap > _LARGE_WEIGHT:
        yield (
            f"[collaboration] weight_cap = {collaboration.weight_cap:g}: one peer that reports as many samples may "
            f"count as much as {collaboration.weight_cap:g} others. {_LARGE_WEIGHT:g} has room for most GPUs."
        )


def _of_sparse_changes(collaboration: Collaboration) -> Iterator[str]:
    """The outer step with which sparse changes were tried out (SparseLoCo, arXiv:2508.15706)."""
    if collaboration.delta_codec == "topk" and (collaboration.outer_momentum, collaboration.outer_lr) != (0.0, 1.0):
        yield (
            '[collaboration] delta_codec = "topk" sends the largest changes only, which were tried out with '
            "outer_momentum = 0.0 and outer_lr = 1.0; momentum makes each of them count for many rounds."
        )


def _of_muon(manifest: RunManifest, needs: ResourceRequirements) -> Iterator[str]:
    """With local SGD each micro-batch is a step, whose Newton-Schulz iterations cost the same however large it is.

    Adapters have matrices of a low rank, for which they cost next to nothing.
    """
    recipe, together = manifest.recipe, manifest.collaboration
    micro_batch = together.batch_size_per_step
    if not isinstance(manifest.optimizer, Muon) or together.mode != "local-sgd" or micro_batch is None:
        return
    if isinstance(recipe, CausalLM | MaskedLM) and recipe.lora is not None:
        return
    width = recipe.width if isinstance(recipe, ArithmeticGPT) else recipe.config.hidden_size
    step_samples = _MUON_FLOP * width * needs.trained_parameters / needs.sample_flop
    if step_samples > _MUON_SHARE * micro_batch:
        yield (
            f"A step of Muon computes as much as training on {step_samples:.1f} samples, and each computer takes one "
            f"after batch_size_per_step = {micro_batch}: as many as memory has room for make that a smaller part."
        )


def _of_local_updates(collaboration: Collaboration) -> Iterator[str]:
    """What a run with local updates sets in vain."""
    if not collaboration.use_local_updates:
        return
    if collaboration.offload_optimizer:
        yield (
            "[collaboration] offload_optimizer = true has no effect with use_local_updates: every computer steps its "
            "model where that is, and what the optimizer keeps is in the GPU's memory. Set it to false."
        )
    if collaboration.grad_compression != "none":
        yield (
            f'[collaboration] grad_compression = "{collaboration.grad_compression}" has no effect with '
            "use_local_updates, which sends no gradients: state_averaging_compression is what counts."
        )


def _of_succession(manifest: RunManifest) -> Iterator[str]:
    """A restart, an update or a cut line is not a loss."""
    succession = manifest.succession
    if succession.keys and succession.after_seconds < LEAST_SILENCE_SECONDS:
        yield (
            f"[succession] after_seconds = {succession.after_seconds}: your computer may be away for longer by chance, "
            f"and whoever has taken the run over leads it for good. {LEAST_SILENCE_SECONDS} is little enough."
        )


def _of_experts(needs: ResourceRequirements) -> Iterator[str]:
    """Tokens that go to experts, and their gradients, are sent with every sample, not once in an epoch."""
    if needs.experts is None:
        return
    by_line = HOME_UPLOAD_BITS_PER_SECOND / 8 / needs.experts.sent_bytes
    computed = HOME_GPU_FLOP_PER_SECOND / needs.sample_flop
    if computed > _COMPUTED_FASTER * by_line:
        yield (
            f"Of a sample {needs.experts.sent_bytes / 1e6:.2f} MB go to hosts of experts: a home uplink (10 Mbit/s) "
            f"takes {by_line:.1f} samples/s, and a good home GPU computes {computed:,.0f}. Such a run needs fast lines "
            "between trainers and hosts, as within a house or a university; raise [recipe.experts] "
            "every_layers or lower top_k."
        )


def _of_words(manifest: RunManifest) -> Iterator[str]:
    if not manifest.run.description.strip():
        yield "[run] description is empty: volunteers will not know what they help with."
    if not manifest.run.license.strip():
        yield "[run] license is empty: volunteers like to know what becomes of what they helped to make."
