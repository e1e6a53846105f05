"""What an organiser has changed since a person agreed, in lines that can be read before agreeing again."""

from __future__ import annotations

from collections.abc import Iterator

from core.placeholders import fill_placeholders
from core.run.consent import Change, changes_between
from core.run.manifest import RunManifest
from core.run.requirements import estimate_requirements
from core.run.spec.data import DataSpec, ImageFiles, TextFiles, hosts_of
from core.security.sanitize import sanitize_line
from core.texts import figures
from core.texts.localization import translate

MOST_LINES = 12
_LONGEST_HOST = 253  # of a name in the DNS
_LONGEST_VALUE = 60


def changes_since(before: RunManifest, after: RunManifest) -> tuple[str, ...]:
    """The changes, a line each, what weighs most first; at most MOST_LINES, and how many more there are."""
    lines = [*_of_needs(before, after), *(_of_field(change) for change in changes_between(before, after))]
    more = len(lines) - MOST_LINES
    if more <= 0:
        return tuple(lines)
    return (*lines[:MOST_LINES], translate("Consent", "and %n more", "", more))


def _of_needs(before: RunManifest, after: RunManifest) -> Iterator[str]:
    """What follows from the fields for this computer: its work, its downloads, and who sees them."""
    old, new = estimate_requirements(before), estimate_requirements(after)
    rows = (
        (translate("Consent", "Parameters"), figures.count(old.parameters), figures.count(new.parameters)),
        (translate("Consent", "State to download"), figures.size(old.download_bytes), figures.size(new.download_bytes)),
        (translate("Consent", "Files to download"), figures.size(old.fetched_bytes), figures.size(new.fetched_bytes)),
        (translate("Consent", "Downloads from"), _hosts(before.data), _hosts(after.data)),
    )
    return (_line(name, was, becomes) for name, was, becomes in rows if was != becomes)


def _of_field(change: Change) -> str:
    return _line(f"{change.section}.{change.field}", _value(change.before), _value(change.after))


def _line(name: str, before: str, after: str) -> str:
    return fill_placeholders(translate("Consent", "%1: %2 → %3"), sanitize_line(name, 80), before, after)


def _hosts(data: DataSpec) -> str:
    named = hosts_of(data) if isinstance(data, TextFiles | ImageFiles) else (getattr(data, "repository", ""),)
    return ", ".join(sanitize_line(each, _LONGEST_HOST) for each in named) or translate("Consent", "nowhere")


def _value(value: object) -> str:
    if value is None or value == "":
        return translate("Consent", "nothing")
    return sanitize_line(str(value), _LONGEST_VALUE)
