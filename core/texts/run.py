"""A run in words, for people who decide whether to join it; its organiser's own texts are sanitized."""

from __future__ import annotations

from core.placeholders import fill_placeholders
from core.protocol.events import RunFound
from core.run.requirements import estimate_requirements
from core.run.steering.control_value import Order
from core.run.steering.edit import Edit
from core.run.steering.rollback import Rollback
from core.security.sanitize import sanitize_line, short_id
from core.texts import figures
from core.texts.experts import expert_facts
from core.texts.localization import translate
from core.texts.run_sources import data_change_words, exchangeable_in, sources_of

_LONGEST_TITLE = 120
_LONGEST_NOTICE = 500


def title_of(run: RunFound) -> str:
    """Return the run's name, or its id where the name has nothing that can be shown."""
    info = run.manifest.run
    return sanitize_line(info.name, _LONGEST_TITLE) or info.id


def organiser_of(run: RunFound) -> str:
    """Return who signed the run, in a form that people can compare."""
    return short_id(run.organiser) if run.organiser else translate("Run", "nobody: it is your own file")


def trust_in(run: RunFound) -> tuple[str, str]:
    """Return whether the pasted address vouches for the run, and what that means."""
    if not run.organiser:
        return (
            translate("Run", "This description is your own file."),
            translate("Run", "Nobody has signed it; the swarm has to agree with it for the run to work."),
        )
    if run.vouched:
        return (
            translate("Run", "Vouched for by the address."),
            translate("Run", "Whoever made the address that you pasted has signed this description."),
        )
    return (
        translate("Run", "The address does not vouch for this run."),
        translate(
            "Run",
            "Anybody in the swarm may have signed it. Ask whoever gave you the address whether the "
            "organiser below is the right one.",
        ),
    )


def closed_words(run: RunFound) -> str:
    """Return why nobody may start, or nothing where the run is open."""
    if run.order.state == "draining":
        return translate("Run", "The organiser brings this run to a stop; it takes nobody new for the time being.")
    match run.manifest.run.state:
        case "paused":
            return translate("Run", "The organiser has paused this run; it takes nobody new for the time being.")
        case "finished":
            return translate("Run", "The organiser has finished this run; it takes nobody new.")
        case _:
            return _uninvited_words(run)


def access_of(run: RunFound) -> str:
    """Return whether the run is closed, and until when this computer is invited; nothing where it is open to all."""
    until = run.access.until
    if run.access.standing == "open":
        return ""
    if run.access.standing != "invited":
        return translate("Run", "Closed run: only those whom the organiser has invited")
    if until is None:
        return translate("Run", "Closed run: this computer is one of those that lead it")
    return fill_placeholders(translate("Run", "Closed run: your invitation is valid until %1"), figures.clock(until))


def _uninvited_words(run: RunFound) -> str:
    """Why a closed run does not take this computer, and what to do; nothing where it does."""
    access = run.access
    match access.standing:
        case "open" | "invited":
            return ""
        case "ended":
            words = translate("Run", "Your invitation to this run ended %1; ask the organiser for a new one.")
            return fill_placeholders(words, figures.moment(access.until or 0.0))
        case "other_run":
            why = translate("Run", "The invitation that you pasted last is for another run.")
        case "other_key":
            why = translate("Run", "The invitation that you pasted is for another computer.")
        case "forged" | "unreadable":
            why = translate("Run", "The invitation that you pasted is damaged, or nobody of this run has signed it.")
        case _:
            why = ""
    words = translate("Run", "This run is closed; you need an invitation. Send the organiser your key: %1")
    return f"{why} {fill_placeholders(words, access.key)}".strip()


def order_words(order: Order) -> str:
    """Return what the organiser asks of all peers, and why; nothing where that is to train."""
    match order.state:
        case "paused":
            words = fill_placeholders(translate("Run", "The organiser paused the run %1"), figures.moment(order.since))
        case "draining":
            words = translate("Run", "The organiser brings the run to a stop: everybody finishes the epoch and leaves")
        case "ended":
            words = translate("Run", "The organiser has ended the run. Thank you for helping")
        case _:
            return ""
    reason = sanitize_line(order.reason, 300).rstrip(".")  # whoever shows it ends the sentence, or goes on
    return fill_placeholders(translate("Run", "%1: %2"), words, reason) if reason else words


def rollback_words(rollback: Rollback | None) -> str:
    """Return to which epoch the organiser has taken the run back last, and when; nothing where it has not."""
    if rollback is None:
        return ""
    words = translate("Run", "to epoch %1 (%2)")
    return fill_placeholders(words, figures.count(rollback.epoch), figures.clock(rollback.at))


def edit_words(edit: Edit) -> str:
    """Return which numbers hold from an epoch on that the organiser has chosen while the run goes on."""
    numbers = edit.numbers
    words = [
        fill_placeholders(translate("Run", "learning rate %1"), f"{numbers.learning_rate:g}"),
        fill_placeholders(translate("Run", "%1 samples a step"), figures.count(numbers.target_batch_size)),
    ]
    if numbers.max_round_seconds is not None:
        words.append(fill_placeholders(translate("Run", "at most %1"), figures.about(numbers.max_round_seconds)))
    begins = fill_placeholders(translate("Run", "From epoch %1 on"), figures.count(edit.from_epoch or 0))
    return fill_placeholders(translate("Run", "%1: %2"), begins, ", ".join(words))


def last_change_words(run: RunFound) -> str:
    """Return what holds from an epoch on by the organiser's last change of numbers or data; nothing without any."""
    edits, data_changes = run.edits[-1:], run.data_changes[-1:]
    last = max((each.from_epoch or 0 for each in (*edits, *data_changes)), default=0)
    words = [edit_words(each) for each in edits if (each.from_epoch or 0) == last]
    words += [data_change_words(each) for each in data_changes if (each.from_epoch or 0) == last]
    return ". ".join(words)


def _changeable_in(run: RunFound) -> str:
    """What the organiser may change, and how far, without asking anybody again; nothing where not at all."""
    most, words = run.manifest.steering.max_change, list[str]()
    if most > 1:
        numbers = translate(
            "Run", "learning rate, samples of a step and longest round may become up to %1 times higher or lower"
        )
        words.append(fill_placeholders(numbers, f"{most:g}"))
    words.append(exchangeable_in(run.manifest))
    return "; ".join(filter(None, words))


def now_in(run: RunFound) -> str:
    """Return the run's peers, epoch, speed and loss, each only if it is known."""
    known = []
    if run.peers is not None:
        known.append(translate("Run", "%n peer(s)", "", run.peers))
    if run.epoch is not None:
        known.append(fill_placeholders(translate("Run", "epoch %1"), figures.count(run.epoch)))
    if run.samples_per_second is not None:
        known.append(fill_placeholders(translate("Run", "samples %1"), figures.rate(run.samples_per_second)))
    if run.loss is not None:
        known.append(fill_placeholders(translate("Run", "loss %1"), figures.loss(run.loss)))
    return " · ".join(known) or figures.unknown()


def line_of(run: RunFound) -> str:
    """Return the line that tells a run from the other runs at the same address."""
    vouched = (
        translate("Run", "vouched for by the address")
        if run.vouched
        else translate("Run", "not vouched for by the address")
    )
    words = [fill_placeholders(translate("Run", "by %1"), organiser_of(run)), vouched]
    words += [words_of_state] if (words_of_state := _state_of(run)) else []
    return " · ".join([*words, now_in(run)])


def facts_of(run: RunFound, homepage: str) -> list[tuple[str, str]]:
    """Return what the manifest says, name by name, without what was left empty; ``homepage`` is the link to show."""
    info = run.manifest.run
    recipe = run.manifest.recipe.__struct_config__.tag
    parameters = figures.count(estimate_requirements(run.manifest).parameters)
    known = [
        (translate("Run", "Organiser"), organiser_of(run)),
        (translate("Run", "Access"), access_of(run)),
        (translate("Run", "Licence"), sanitize_line(info.license, 200) or translate("Run", "not stated")),
        (translate("Run", "Web page"), homepage),
        (translate("Run", "Contact"), sanitize_line(info.contact, 200)),
        (
            translate("Run", "Run"),
            fill_placeholders(translate("Run", "%1, revision %2"), info.id, figures.count(run.manifest.revision)),
        ),
        (
            translate("Run", "Trains"),
            fill_placeholders(translate("Run", "%1 with %2 parameters"), str(recipe), parameters),
        ),
        *expert_facts(run),
        *sources_of(run.manifest),
        (translate("Run", "While it goes on"), _changeable_in(run)),
        (translate("Run", "Changed"), edit_words(run.edits[-1]) if run.edits else ""),
        (translate("Run", "Other data"), data_change_words(run.data_changes[-1]) if run.data_changes else ""),
        (translate("Run", "Taken back"), rollback_words(run.rollback)),
        (translate("Run", "At the moment"), now_in(run)),
    ]
    return [(name, words) for name, words in known if words]


def notice_of(run: RunFound) -> str:
    """What the organiser has to say, on one line; empty where that is nothing."""
    return sanitize_line(run.manifest.run.notice, _LONGEST_NOTICE)


def _state_of(run: RunFound) -> str:
    if run.order.state == "draining":
        return translate("Run", "coming to a stop")
    if run.order.state == "paused":
        return translate("Run", "paused")
    match run.manifest.run.state:
        case "paused":
            return translate("Run", "paused")
        case "finished":
            return translate("Run", "finished")
        case _:
            return ""
