"""What a run with experts asks of those who host them and of those who train, and how its experts do."""

from __future__ import annotations

from core.placeholders import fill_placeholders
from core.protocol.events import RunFound
from core.protocol.experts import ExpertsSeen
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
    """Return what this computer will do in a run with experts; in one without, only that there are none to host."""
    if estimate_requirements(run.manifest).experts is None:
        return "" if role == "train" else translate("Experts", "trains: this run has no experts to host")
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


def experts_words(seen: ExpertsSeen) -> str:
    """Return how many experts there are and are here, what is sent to and fro, and how much of it finds its expert."""
    present, here = sum(bool(each.host) for each in seen.experts), sum(each.is_mine for each in seen.experts)
    of_all = fill_placeholders(
        translate("Experts", "%1 of %2 experts present, %3 of them here"),
        *map(figures.count, (present, len(seen.experts), here)),
    )
    parts = [
        of_all,
        _rate(translate("Experts", "%1 tokens/s sent"), seen.sent_tokens_per_second),
        _rate(translate("Experts", "%1 tokens/s received"), seen.received_tokens_per_second),
    ]
    if seen.found_share is not None:
        words = translate("Experts", "%1 of the tokens sent found their expert")
        parts.append(fill_placeholders(words, figures.share(seen.found_share)))
    if seen.untold:
        parts.append(translate("Experts", "%n more expert(s) not shown", "", seen.untold))
    return " · ".join(filter(None, parts))


def token_rate(per_second: float | None) -> str:
    """Return tokens per second as ``1,240 tokens/s``; nothing where it is not known."""
    return _rate(translate("Experts", "%1 tokens/s"), per_second)


def _rate(words: str, per_second: float | None) -> str:
    return "" if per_second is None else fill_placeholders(words, figures.number(per_second))


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
