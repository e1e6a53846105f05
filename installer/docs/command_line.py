"""The reference of the command line, from the parsers themselves."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from core.cli.parser.arguments import command_parser
from installer.docs.markdown import table
from installer.docs.struct_fields import UndocumentedError

_WIDTH = 88


def command_reference() -> str:
    """Every command under a heading of its own, with its arguments and options."""
    return "\n\n".join(_commands(command_parser(version="VERSION"), ()))


def _commands(parser: argparse.ArgumentParser, words: tuple[str, ...]) -> Iterator[str]:
    """The commands of a parser, one after the other, those within them included."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help for choice in action._choices_actions}
            for name, inner in action.choices.items():
                yield from _command(inner, (*words, name), helps.get(name) or "")


def _command(parser: argparse.ArgumentParser, words: tuple[str, ...], help_text: str) -> Iterator[str]:
    name = " ".join(words)
    if not help_text:
        raise UndocumentedError(f"the command {name} has no help")
    yield f"## workerbee {name}\n\n{_sentence(help_text)}"
    actions = [each for each in parser._actions if _is_listed(each)]
    if not any(isinstance(each, argparse._SubParsersAction) and each.required for each in parser._actions):
        yield f"```text\n{_wrapped(['workerbee', name, *map(_usage, actions)])}\n```"
    if actions:
        yield table(("argument", "meaning"), ((_names(each), _meaning(name, each)) for each in actions))
    yield from _commands(parser, words)


def _wrapped(words: list[str]) -> str:
    """The words on lines of at most ``_WIDTH`` characters, of which no word is broken."""
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) > _WIDTH:
            lines.append(f"    {word}")
        else:
            lines[-1] += f" {word}"
    return "\n".join(lines)


def _is_listed(action: argparse.Action) -> bool:
    return action.help != argparse.SUPPRESS and not isinstance(
        action, argparse._HelpAction | argparse._SubParsersAction
    )


def _usage(action: argparse.Action) -> str:
    """The action as a usage line has it; only a positional that must be there has no brackets."""
    words = " ".join(part for part in (*action.option_strings[:1], _value(action)) if part)
    is_required = action.required if action.option_strings else action.nargs is None
    return words if is_required else f"[{words}]"


def _names(action: argparse.Action) -> str:
    return f"`{' '.join(part for part in (', '.join(action.option_strings), _value(action)) if part)}`"


def _value(action: argparse.Action) -> str:
    """What follows the option; nothing where it is a switch."""
    if action.nargs == 0:
        return ""
    name = str(action.metavar) if action.metavar else "|".join(map(str, action.choices or [action.dest]))
    return f"{name} …" if action.nargs in ("+", "*") else name


def _meaning(command: str, action: argparse.Action) -> str:
    """The help of the action, its choices and its default; raises UndocumentedError where it has no help."""
    if not action.help:
        raise UndocumentedError(f"{command}: {_names(action)} has no help")
    has_default = action.nargs != 0 and action.default not in (None, [], argparse.SUPPRESS)
    is_told = "(default: " in action.help or str(action.default) in action.help
    default = f" Default: `{action.default}`." if has_default and not is_told else ""
    return f"{_sentence(action.help)}{default}"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
