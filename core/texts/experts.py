"""What a run with experts asks of those who host them and of those who train, before anybody agrees."""

from __future__ import annotations

from core.placeholders import fill_placeholders
from core.protocol.events import RunFound
from core.run.requirements import estimate_requirements
from core.run.spec.experts import ExpertRole
from core.run.spec.recipe_cost import ExpertsSize
from core.texts import figures
from core.texts.localization import translate

_SECONDS_PER_HOUR = 3600.0


def expert_facts(run: RunFound) -> list[tuple[str, str]]:
    """Return how many experts there are, what they cost and what strangers may do, name by name; else nothing."""
    experts = estimate_requirements(run.manifest).experts
    if experts is None:
        return []
    return [
        (translate("Experts", "Experts"), _experts(experts)),
        (translate("Experts", "Sent to experts"), _traffic(run, experts)),
        (
            translate("Experts", "Who hosts"),
            translate(
                "Experts",
                "computes for whoever asks; all trainers of the run change its experts, each a little. No code is sent",
            ),
        ),
    ]


def role_words(run: RunFound, role: ExpertRole, most: int | None) -> str:
    """Return what this computer will do in a run with experts; nothing where a run has none."""
    if estimate_requirements(run.manifest).experts is None:
        return ""
    if role == "train":
        return translate("Experts", "trains; it hosts no experts (workerbee join --role both would)")
    words = (
        translate("Experts", "hosts experts, and hardly trains")
        if role == "host"
        else translate("Experts", "trains and hosts experts")
    )
    if most is None:
        return fill_placeholders(translate("Experts", "%1; as many as a quarter of the free memory holds"), words)
    return fill_placeholders(translate("Experts", "%1; at most %2"), words, figures.count(most))


def _experts(experts: ExpertsSize) -> str:
    words = translate("Experts", "%1 on volunteers' computers, each with %2 parameters and %3 of memory")
    parameters, memory = figures.count(experts.parameters), figures.size(experts.state_bytes)
    return fill_placeholders(words, figures.count(experts.count), parameters, memory)


def _traffic(run: RunFound, experts: ExpertsSize) -> str:
    """What a trainer sends to hosts for a sample, and in an hour where it is known how fast others train."""
    words = translate("Experts", "%1 for each sample, and two thirds of it come back")
    told = fill_placeholders(words, figures.size(experts.sent_bytes))
    if not run.samples_per_second or not run.peers:
        return told
    hourly = experts.sent_bytes * _SECONDS_PER_HOUR * run.samples_per_second / run.peers
    usual = fill_placeholders(translate("Experts", "about %1 an hour, as fast as others train"), figures.size(hourly))
    return f"{told} · {usual}"
