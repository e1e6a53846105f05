"""Whatever core.run.address finds wrong, the window can say it in another language."""

from __future__ import annotations

import pytest

from app.presentation.address import what_is_good, what_is_wrong, what_it_is
from core.run.address import JoinAddress, UnreadableAddress
from tests.app.support.sample_sessions import ADDRESS


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
