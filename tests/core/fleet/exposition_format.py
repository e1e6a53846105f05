"""A strict parser of Prometheus' text format, version 0.0.4, written from its description and not from our writer.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/ and, for names,
https://prometheus.io/docs/concepts/data_model/.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_METRIC = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_VALUE = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|NaN|[+-]Inf")
_KINDS = {"counter", "gauge", "histogram", "summary", "untyped"}
_ESCAPES = {"\\": "\\", '"': '"', "n": "\n"}

Labels = frozenset[tuple[str, str]]


class FormatError(ValueError):
    """The text is not in the format."""


@dataclass
class Family:
    """A metric's type, its help, and its samples by their labels."""

    kind: str = "untyped"
    help: str = ""
    samples: dict[Labels, float] = field(default_factory=dict)


def parse(text: bytes) -> dict[str, Family]:
    """The metrics by name; raises FormatError for anything that the format does not allow."""
    families: dict[str, Family] = {}
    lines = text.decode("utf-8").split("\n")
    if lines.pop() != "":
        raise FormatError("the last line must end with a line feed")
    current = ""
    for line in lines:
        if line.startswith("# HELP ") or line.startswith("# TYPE "):
            keyword, name, rest = [*line[2:].split(" ", 2), ""][:3]
            if not _METRIC.fullmatch(name) or (families.get(name) and families[name].samples):
                raise FormatError(f"out of place: {line!r}")
            family = families.setdefault(name, Family())
            if keyword == "TYPE":
                if rest not in _KINDS:
                    raise FormatError(f"no type: {line!r}")
                family.kind = rest
            else:
                family.help = rest
        elif line and not line.startswith("#"):
            name, labels, value = _sample(line)
            family = families.setdefault(name, Family())
            if labels in family.samples or (family.samples and current != name):
                raise FormatError(f"twice, or not in one group: {line!r}")
            family.samples[labels], current = value, name
    return families


def _sample(line: str) -> tuple[str, Labels, float]:
    name = _METRIC.match(line)
    if name is None:
        raise FormatError(f"no name: {line!r}")
    at, labels = name.end(), {}
    if line[at : at + 1] == "{":
        at += 1
        while line[at] != "}":
            label = _LABEL.match(line, at)
            if label is None or label[0] in labels or line[label.end() : label.end() + 2] != '="':
                raise FormatError(f"no label at {at}: {line!r}")
            labels[label[0]], at = _quoted(line, label.end() + 2)
            if line[at] == ",":
                at += 1
            elif line[at] != "}":
                raise FormatError(f"neither a comma nor an end at {at}: {line!r}")
        at += 1
    values = line[at:].split()
    if not 1 <= len(values) <= 2 or not all(_VALUE.fullmatch(each) for each in values[:1]):
        raise FormatError(f"no value: {line!r}")
    return name[0], frozenset(labels.items()), float(values[0])


def _quoted(line: str, at: int) -> tuple[str, int]:
    """The text up to the quotation mark that ends it, and the place behind that."""
    text = ""
    while at < len(line) and line[at] != '"':
        if line[at] == "\\":
            at += 1
            if line[at] not in _ESCAPES:
                raise FormatError(f"no escape at {at}: {line!r}")
            text += _ESCAPES[line[at]]
        else:
            text += line[at]
        at += 1
    if at >= len(line):
        raise FormatError(f"a label without an end: {line!r}")
    return text, at + 1
