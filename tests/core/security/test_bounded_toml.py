"""A TOML text that a stranger has written is read once over, whatever its quotation marks and dots."""

from __future__ import annotations

import time

import pytest

from core.errors import UserError
from core.run.run_file import MAX_RUN_FILE_BYTES, parse_run_file
from core.security.bounded_toml import MOST_PARTS, read_toml

LONGEST_KEY = ".".join(["a"] * MOST_PARTS)
MANY = 16_000

WITHOUT_AN_END = {
    "string": ('x = "', '\\"'),
    "string that ends its line": ("", '"\\\n'),
    "literal string": ("x = '", '"'),
    "string of several lines": ('x = """', '""\\"'),
    "literal string of several lines": ("x = '''", "''a"),
    "either quotation mark": ("", "\"'"),
    "blanks after a part": ("a", " "),
    "blanks after each part": ("", "a "),
    "string after the parts": ("", LONGEST_KEY + '."\\"'),
}
"""How a text begins, and what it repeats."""


def seconds_to_read(text: str) -> float:
    """Of the processor, at best."""
    tries = []
    for _ in range(3):
        began = time.process_time()
        with pytest.raises(ValueError):
            read_toml(text)
        tries.append(time.process_time() - began)
    return min(tries)


@pytest.mark.parametrize("kind", WITHOUT_AN_END)
def test_a_text_twice_as_long_takes_no_more_than_three_times_as_long(kind: str) -> None:
    begins, repeats = WITHOUT_AN_END[kind]
    shorter, longer = (seconds_to_read(begins + repeats * many) for many in (MANY, 2 * MANY))
    assert longer < 3 * shorter + 0.005


def test_a_run_file_of_escaped_quotation_marks_is_refused_at_once() -> None:
    text = 'x = "' + '\\"' * 60_000
    assert len(text) < MAX_RUN_FILE_BYTES
    began = time.process_time()
    with pytest.raises(UserError, match="not TOML"):
        parse_run_file(text)
    assert time.process_time() - began < 2.0  # with a search from each quotation mark it took 30


BEFORE = ("", "x = 1 # it's \"\n", 'x = """\n"" \\""""\n', "x = '''\n'\\'''\n", 'x = "\\""\n')


@pytest.mark.parametrize("key", [f"{LONGEST_KEY}.b", f'"a" . {LONGEST_KEY}', f"{LONGEST_KEY} . 'b.c'"])
@pytest.mark.parametrize("before", BEFORE)
def test_a_key_of_too_many_parts_is_refused_wherever_it_is(key: str, before: str) -> None:
    for text in (f"{before}{key} = 1", f"{before}[{key}]", f"{before}y = {{ z = 1, {key} = 1 }}"):
        with pytest.raises(ValueError, match=f"more than 16 parts \\(at line {before.count(chr(10)) + 1}\\)"):
            read_toml(text)


@pytest.mark.parametrize("quotes", ['"', "'", '"""', "'''"])
def test_dots_in_a_string_or_a_comment_make_no_key(quotes: str) -> None:
    told = f"{LONGEST_KEY}.b"
    assert read_toml(f"x = {quotes}{told}{quotes} # {told}\n{LONGEST_KEY} = 1")["x"] == told
