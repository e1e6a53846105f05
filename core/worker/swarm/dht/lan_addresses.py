"""Where direct peers are within their own home network, told in the DHT for those who share it.

libp2p passes no private address on through public peers, and many a router does not lead its own public
address back. Under a key of its own, so that peers which know nothing of it keep it, and lose nothing by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hivemind.dht import DHT
from hivemind.dht.crypto import RSASignatureValidator
from hivemind.dht.schema import BytesWithPublicKey
from pydantic.v1 import BaseModel, Extra, conlist, constr

from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.dht.reader import parse_record, read_signed
from core.worker.swarm.patches.monotonic_clock import steady_time

NEARBY_LIFETIME_SECONDS = 300.0
NEARBY_KEY_END = "workerbee_nearby"  # of the DHT key; the run's id is its beginning
MOST_ADDRESSES = 2
MAX_ADDRESS_CHARACTERS = 80


class LanAddresses(BaseModel):
    """One peer's: multiaddrs without its id."""

    addresses: conlist(  # type: ignore[valid-type]
        constr(max_length=MAX_ADDRESS_CHARACTERS, strict=True), max_items=MOST_ADDRESSES
    )

    class Config:
        """Nobody has a use for more."""

        extra = Extra.forbid


class LanAddressesSchema(BaseModel):
    """For hivemind's SchemaValidator: everybody signs their own."""

    workerbee_nearby: dict[BytesWithPublicKey, LanAddresses]


def publish_nearby(swarm: Swarm, run_id: str, addresses: Iterable[str]) -> None:
    """Tell it for ``NEARBY_LIFETIME_SECONDS``; does not wait."""
    swarm.dht.store(
        f"{run_id}_{NEARBY_KEY_END}",
        subkey=RSASignatureValidator(swarm.progress_key).local_public_key,
        value=LanAddresses(addresses=list(addresses)).dict(),
        expiration_time=steady_time() + NEARBY_LIFETIME_SECONDS,
        return_future=True,
    )


def nearby_in(dht: DHT, run_id: str) -> Mapping[bytes, tuple[str, ...]]:
    """Everybody's addresses, by the subkey under which they also report progress."""
    nearby: dict[bytes, tuple[str, ...]] = {}
    for subkey, value in read_signed(dht, f"{run_id}_{NEARBY_KEY_END}").items():
        if (told := parse_record(LanAddresses, value)) is not None:
            nearby[subkey] = tuple(told.addresses)
    return nearby
