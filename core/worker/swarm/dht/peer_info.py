"""What a peer of ours says of itself for people, beside hivemind's reports: a name it chose, and its device.

Plain hivemind peers keep these records as any others, and have none themselves.
"""

from __future__ import annotations

from collections.abc import Mapping

from hivemind.dht import DHT
from hivemind.dht.crypto import RSASignatureValidator
from hivemind.dht.schema import BytesWithPublicKey
from pydantic.v1 import BaseModel, Extra, constr

from core.security.sanitize import MAX_DEVICE_CHARACTERS, MAX_NAME_CHARACTERS
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.dht.reader import parse_record, read_signed
from core.worker.swarm.patches.monotonic_clock import steady_time

CARD_LIFETIME_SECONDS = 300.0
KEY_END = "workerbee_peers"  # of the DHT key; the run's id is its beginning


class PeerInfo(BaseModel):
    """One peer's."""

    name: constr(max_length=MAX_NAME_CHARACTERS, strict=True) = ""  # type: ignore[valid-type]
    device: constr(max_length=MAX_DEVICE_CHARACTERS, strict=True) = ""  # type: ignore[valid-type]

    class Config:
        """Nobody has a use for more."""

        extra = Extra.forbid


class CardSchema(BaseModel):
    """For hivemind's SchemaValidator: everybody signs their own."""

    workerbee_peers: dict[BytesWithPublicKey, PeerInfo]


def publish_card(swarm: Swarm, run_id: str, card: PeerInfo) -> None:
    """Show it for ``CARD_LIFETIME_SECONDS``; does not wait."""
    swarm.dht.store(
        f"{run_id}_{KEY_END}",
        subkey=RSASignatureValidator(swarm.progress_key).local_public_key,
        value=card.dict(),
        expiration_time=steady_time() + CARD_LIFETIME_SECONDS,
        return_future=True,
    )


def read_peer_info(dht: DHT, run_id: str) -> Mapping[bytes, PeerInfo]:
    """Everybody's, by the subkey under which they also report progress."""
    cards: dict[bytes, PeerInfo] = {}
    for subkey, value in read_signed(dht, f"{run_id}_{KEY_END}").items():
        if (card := parse_record(PeerInfo, value)) is not None:
            cards[subkey] = card
    return cards
