"""What the words of a start mean to the window, and how they are passed on."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.desktop.launch_request import LaunchRequest, decode, encode, run_file_path

LINK = "workerbee://join?peer=%2Fip4%2F203.0.113.5%2Ftcp%2F31337&run=sums"


def read(*words: str) -> LaunchRequest | None:
    """In an environment that says nothing."""
    return LaunchRequest.read(words, {})


def test_nothing_opens_the_window() -> None:
    assert read() == LaunchRequest()
    assert read("--minimised") == LaunchRequest(is_minimised=True)


def test_a_link_is_handed_over() -> None:
    assert read(LINK) == LaunchRequest(link=LINK)
    assert read(LINK, "--minimised") == LaunchRequest(link=LINK, is_minimised=True)


def test_a_run_file_is_handed_over_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert read("my run.toml") == LaunchRequest(run_file=str(tmp_path / "my run.toml"))
    assert read("file:///home/me/my%20run.TOML") == LaunchRequest(run_file="/home/me/my run.TOML")


@pytest.mark.parametrize("words", [("join", LINK), ("doctor",), ("--help",), ("run", "check", "a.toml"), ("x",)])
def test_commands_are_for_somebody_else(words: tuple[str, ...]) -> None:
    assert read(*words) is None


def test_the_leave_to_raise_a_window_comes_along() -> None:
    given_leave = LaunchRequest.read([], {"DESKTOP_STARTUP_ID": "old", "XDG_ACTIVATION_TOKEN": "new"})
    assert given_leave == LaunchRequest(activation="new")


def test_what_was_encoded_is_decoded_again() -> None:
    request = LaunchRequest(link=LINK, run_file="/ü/run.toml", is_minimised=True, activation="x")
    assert decode(encode(request)) == request


@given(st.binary(max_size=200))
def test_nonsense_is_refused_and_nothing_else_happens(line: bytes) -> None:
    with contextlib.suppress(msgspec.MsgspecError):
        assert isinstance(decode(line), LaunchRequest)


@given(st.text(max_size=50))
def test_any_text_is_a_path_or_none(text: str) -> None:
    assert run_file_path(text) is None or text.lower().endswith(".toml")
