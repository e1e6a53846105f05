"""Whatever core.run.address finds wrong, the window can say it in another language."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator

import pytest

import core.run.address
import core.run.multiaddr
from app.presentation.address import REASONS, what_is_good, what_is_wrong, what_it_is
from core.run.address import JoinAddress, UnreadableAddress
from tests.app.support.sample_sessions import ADDRESS


def templates() -> Iterator[str]:
    """The reasons in the sources of core.run.address and multiaddr, as literals or in the variable ``reason``."""
    trees = (ast.parse(inspect.getsource(module)) for module in (core.run.address, core.run.multiaddr))
    for node in (each for tree in trees for each in ast.walk(tree)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "UnreadableAddress":
            told = node.args[1]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "MultiaddrError":
            told = node.args[0]
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "reason":
            told = node.value
        else:
            continue
        if isinstance(told, ast.Constant):
            yield str(told.value)
        else:
            assert ast.unparse(told) in ("reason", "error.template"), ast.unparse(told)


def test_every_reason_is_there_to_be_translated_and_no_other() -> None:
    assert set(templates()) == set(REASONS)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "Nothing was pasted."),
        ("/ip4/300.0.0.1/tcp/1", "“/ip4/300.0.0.1/tcp/1”: “300.0.0.1” is not an IPv4 address"),
        ("/ip4/203.0.113.5/tcp/1/p2p/x%1", "“/ip4/203.0.113.5/tcp/1/p2p/x%1”: the peer id "),
        ("workerbee:join?peer=/dns4/%7B0%7D/tcp/1", "“/dns4/{0}/tcp/1”: “{0}” is not a host name."),
    ],
)
def test_what_is_wrong_is_said_with_the_piece(text: str, wrong: str) -> None:
    with pytest.raises(UnreadableAddress) as raised:
        JoinAddress.parse(text)
    assert what_is_wrong(raised.value).startswith(wrong)
    assert what_is_good(raised.value).endswith(raised.value.good)


def test_a_good_address_is_said_to_be_one() -> None:
    assert "“sums”" in what_it_is(JoinAddress((ADDRESS,), "sums"))
