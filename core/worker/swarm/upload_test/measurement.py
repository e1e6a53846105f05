"""Measure this computer's upload with peers of the run; it all happens in the DHT's process, beside everything else."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from functools import partial

from hivemind.dht import DHT, DHTNode
from hivemind.p2p import P2P, PeerID

from core.worker.swarm.upload_test.paced_upload import PacedUpload
from core.worker.swarm.upload_test.receiver import UploadReceiver

MAX_PEERS = 2
TEST_SECONDS = 2.0  # of all uploads together
DIAL_SECONDS = 5.0  # for a peer to answer at all
SLACK_SECONDS = 15.0  # for a computer that does much else

log = logging.getLogger(__name__)


def measure_upload(dht: DHT, peers: Sequence[str]) -> dict[str, float]:
    """The bits per second that arrive at each of those peers, given by their ids; one that receives none is left out.

    One or two are asked, one after the other, for TEST_SECONDS together. The larger figure counts: the line of the
    other peer may be the slower one, so the true speed is at least this. A plain hivemind peer has no such RPC, and
    one that serves somebody else confirms nothing. Blocks for some seconds.
    """
    chosen = tuple(peers[:MAX_PEERS])
    try:
        measuring = dht.run_coroutine(partial(_measure, peers=chosen), return_future=True)
        return dict(measuring.result(TEST_SECONDS + MAX_PEERS * DIAL_SECONDS + SLACK_SECONDS))
    except Exception as error:
        log.info("the upload could not be measured: %r", error)
        return {}


async def _measure(_dht: DHT, node: DHTNode, *, peers: Sequence[str]) -> dict[str, float]:
    seconds = TEST_SECONDS / max(1, len(peers))
    figures = {peer: await upload_to(node.protocol.p2p, PeerID.from_base58(peer), seconds) for peer in peers}
    return {peer: figure for peer, figure in figures.items() if figure is not None}


async def upload_to(p2p: P2P, peer: PeerID, seconds: float) -> float | None:
    """Upload to that peer for so long; the bits per second that have arrived, ``None`` where it confirms too few."""
    stub = UploadReceiver.get_stub(p2p, peer)
    try:
        async with asyncio.timeout(DIAL_SECONDS):
            upload = PacedUpload(seconds)
            receipts = await stub.rpc_receive(upload.chunks())
    except Exception as error:  # a plain hivemind peer, or whatever a stranger's end of the line does
        log.info("%s takes no upload test: %r", peer, error)
        return None
    try:
        async with asyncio.timeout(seconds):
            async for receipt in receipts:
                upload.confirm(receipt.metadata)
    except TimeoutError:
        pass
    except Exception as error:  # no receipt, or a wrong one: what it has confirmed before has arrived
        log.info("%s ends the upload test: %r", peer, error)
    finally:
        await receipts.aclose()
    figure = upload.bits_per_second()
    log.info("%s has confirmed %s bit/s", peer, "no" if figure is None else f"{figure:,.0f}")
    return figure
