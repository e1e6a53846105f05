"""Rules that cannot see on this computer what they are about: which, what would tell them, and what to do."""

from __future__ import annotations

from core.availability.unobserved_rules import UnobservedRule
from core.placeholders import fill_placeholders
from core.texts.availability import rule_name
from core.texts.localization import translate


def unobserved_words(rule: UnobservedRule) -> str:
    """Return that the rule sees nothing, what follows from that, and what to do: two sentences or three."""
    match rule:
        case "idle":
            return translate(
                "UnobservedRules",
                "The rule “idle_minutes” cannot see here whether you are away, so nothing is trained until the screen "
                "is locked or nobody is logged in. Resume now (r in the terminal of `workerbee join`) trains all the "
                "same. A service has no such key: remove idle_minutes from [availability] in settings.toml, and name "
                "hours instead.",
            )
        case "presence":
            return translate(
                "UnobservedRules",
                "The limits for while somebody is at this computer hold all the time: nobody tells here whether that "
                "is so.",
            )
        case _:
            words = translate(
                "UnobservedRules",
                "The rule about %1 cannot see anything here, and asks for no pause. It is told by %2.",
            )
            return fill_placeholders(words, rule_name(rule), tellers(rule))


def tellers(rule: UnobservedRule) -> str:
    """Return who can tell a rule what it is about."""
    match rule:
        case "battery":
            return translate("UnobservedRules", "UPower, or the kernel in /sys/class/power_supply")
        case "power_saver":
            return translate("UnobservedRules", "power-profiles-daemon, TLP 1.9, tuned, or the desktop's portal")
        case "metered":
            return translate("UnobservedRules", "NetworkManager, or the desktop's portal")
        case "game":
            return translate(
                "UnobservedRules", "GameMode, on your session's bus, or an X server that shows your session"
            )
        case "film":
            return translate(
                "UnobservedRules", "media players (MPRIS) and GNOME's session manager, on your session's bus"
            )
        case "gpu":
            return translate(
                "UnobservedRules",
                "NVIDIA's driver, but not in WSL 2 and not with MIG, or for another GPU by Linux 5.19 or newer",
            )
        case "memory":
            return translate("UnobservedRules", "the kernel in /proc/pressure, unless it was started with psi=0")
        case "idle" | "presence":
            return translate("UnobservedRules", "GNOME, Cinnamon, KDE on X11, or a desktop that tells logind")
        case _:
            return translate("UnobservedRules", "the list of processes")
