"""The peers with which a run has nothing to do for some time, as its organiser says and signs."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from core.run.signed_record import sign_record, signed_of_run, signed_order
from core.schema import StrictStruct, UnixTime
from core.security.identity import Identity

MAX_BLOCKS = 128
MAX_BLOCK_LIST_BYTES = 16 * 1024
_KIND = b"workerbee run blocks 1:"


class Block(StrictStruct, kw_only=True, frozen=True):
    """A peer id that is blocked ``until`` a time in seconds since 1970."""

    peer_id: Annotated[str, Meta(min_length=1, max_length=64)]
    until: UnixTime


class BlockList(StrictStruct, kw_only=True, frozen=True):
    """The blocked peers of one run; a list of a higher ``revision`` replaces it."""

    run_id: str
    revision: Annotated[int, Meta(ge=0, le=2**53)] = 0
    blocks: Annotated[tuple[Block, ...], Meta(max_length=MAX_BLOCKS)] = ()

    def at(self, now: float) -> frozenset[str]:
        """The ids of the peers that are blocked at that time, in seconds since 1970."""
        return frozenset(block.peer_id for block in self.blocks if block.until > now)

    def with_block(self, block: Block, now: float) -> BlockList:
        """The next revision, with that block in place of an earlier one of the same peer; without those that are over.

        Raises ValueError for more than `MAX_BLOCKS`.
        """
        others = tuple(each for each in self.blocks if each.peer_id != block.peer_id and each.until > now)
        blocks = (*others, block) if block.until > now else others
        if len(blocks) > MAX_BLOCKS:
            raise ValueError(f"a run blocks {MAX_BLOCKS} peers at the most")
        return BlockList(run_id=self.run_id, revision=max(self.revision + 1, int(now)), blocks=blocks)

    def continued(self, before: BlockList, now: float) -> BlockList:
        """The list with which a successor begins: the one ``before`` it, and what is in its own if that is newer."""
        own = self.blocks if self.revision > before.revision else ()
        named = {each.peer_id for each in own}
        blocks = (*own, *(each for each in before.blocks if each.peer_id not in named))
        revision = max(self.revision + 1, before.revision + 1, int(now))
        kept = tuple(each for each in blocks if each.until > now)[:MAX_BLOCKS]
        return BlockList(run_id=self.run_id, revision=revision, blocks=kept)


def sign_blocks(blocks: BlockList, identity: Identity) -> bytes:
    """The list in the form in which it will be read, signed."""
    return sign_record(_KIND, msgspec.msgpack.encode(blocks), identity)


def blocks_in(encoded: bytes, organiser: str, run_id: str) -> BlockList | None:
    """The list that an organiser has signed for a run; ``None`` for anything else."""
    return signed_of_run(_KIND, encoded, organiser, MAX_BLOCK_LIST_BYTES, BlockList, run_id)


def blocks_order(encoded: bytes, signer: str, run_id: str) -> float | None:
    """By what a block list is later than another, as `signed_order` tells it; ``None`` for anything else."""
    return signed_order(_KIND, encoded, signer, MAX_BLOCK_LIST_BYTES, run_id)
