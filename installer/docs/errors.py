"""The error catalogue as documents: a paragraph for each error, and a table of exit codes."""

from __future__ import annotations

from core.errors import ErrorKind
from core.files.documents import slug_of
from installer.docs.markdown import table

_MEANINGS = {
    0: "done",
    2: "the command, the run file or the device cannot be used as it was typed",
    3: "the address cannot be read",
    4: "nobody answers, or the connection was lost",
    5: "the swarm publishes no such run, or it takes no volunteers now",
    6: "what somebody else sent was refused",
    7: "something on this computer failed",
    130: "you pressed Ctrl-C before training had begun",
    141: "the program that read the output has ended",
    143: "the system asked to end before training had begun",
}


def error_catalogue() -> str:
    """Every error under its title, which is the anchor that the window's *What can I do?* opens."""
    return "\n\n".join(map(_paragraph, ErrorKind))


def _paragraph(error: ErrorKind) -> str:
    parts = [f"### {error.title}", error.advice]
    if error.terminal_advice != error.advice:
        parts.append(f"In a terminal: {error.terminal_advice[0].lower()}{error.terminal_advice[1:]}")
    return "\n\n".join([*parts, f"Name `{error.key}`, exit code {error.exit_code}."])


def exit_codes() -> str:
    """Every exit code with its meaning and its errors; raises KeyError for a code without a meaning."""
    codes = sorted({*_MEANINGS, *(error.exit_code for error in ErrorKind)})
    return table(("code", "meaning", "errors"), ((str(code), _MEANINGS[code], _errors(code)) for code in codes))


def _errors(code: int) -> str:
    """The errors that end with that code, linked to their paragraphs."""
    found = (error for error in ErrorKind if error.exit_code == code)
    return ", ".join(f"[{error.key}](user-guide.md#{slug_of(error.title)})" for error in found)
