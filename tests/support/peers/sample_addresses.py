"""An address for tests where nobody is asked whether somebody is there."""

from __future__ import annotations

from core.run.multiaddr import Multiaddr

PEER_ID = "12D3KooWBtg3aaRMjxwedh83aGiUkwSxDwUZkzuJcfaqUmo7R3pq"
NOWHERE = Multiaddr(f"/ip4/127.0.0.1/tcp/1/p2p/{PEER_ID}")
