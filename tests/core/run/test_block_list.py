"""A block list is the organiser's own, of this run, bounded, and never goes back to an earlier one."""

from __future__ import annotations

import msgspec
import pytest

from core.run.block_list import MAX_BLOCKS, Block, BlockList, blocks_in, sign_blocks
from core.run.signed_scores import EvaluationHistory, sign_scores
from core.security.identity import Identity

ORGANISER, STRANGER = Identity.create(), Identity.create()
NOW = 2_000_000_000.0
LIAR = STRANGER.peer_id


def of_run(run_id: str = "sums", *blocks: Block) -> BlockList:
    """A list that blocks these."""
    return BlockList(run_id=run_id, revision=1, blocks=blocks)


def test_what_the_organiser_has_signed_is_read() -> None:
    blocks = of_run("sums", Block(peer_id=LIAR, until=NOW + 60))
    assert blocks_in(sign_blocks(blocks, ORGANISER), ORGANISER.peer_id, "sums") == blocks


@pytest.mark.parametrize(
    "encoded",
    [
        sign_blocks(of_run(), STRANGER),
        sign_blocks(of_run("another"), ORGANISER),
        sign_blocks(of_run("sums", *[Block(peer_id=LIAR, until=1.0)] * (MAX_BLOCKS + 1)), ORGANISER),
        sign_blocks(of_run("sums", Block(peer_id=65 * "a", until=1.0)), ORGANISER),
        sign_scores(EvaluationHistory("sums"), ORGANISER),
        msgspec.msgpack.encode({"payload": b"", "signature": b""}),
        b"",
    ],
    ids=["a stranger's", "of another run", "too many", "too long an id", "of another kind", "unsigned", "nothing"],
)
def test_anything_else_is_nothing(encoded: bytes) -> None:
    assert blocks_in(encoded, ORGANISER.peer_id, "sums") is None


def test_a_block_ends_by_itself_is_prolonged_and_is_lifted() -> None:
    first = of_run().with_block(Block(peer_id=LIAR, until=NOW + 60), NOW)
    assert first.at(NOW) == {LIAR} and first.at(NOW + 61) == frozenset()
    longer = first.with_block(Block(peer_id=LIAR, until=NOW + 600), NOW)
    assert longer.at(NOW + 61) == {LIAR} and len(longer.blocks) == 1
    assert longer.with_block(Block(peer_id=LIAR, until=NOW), NOW).blocks == ()


def test_a_list_that_was_lost_is_followed_by_a_newer_one_all_the_same() -> None:
    before = of_run().with_block(Block(peer_id=LIAR, until=NOW + 60), NOW)
    anew = BlockList(run_id="sums").with_block(Block(peer_id=LIAR, until=NOW + 60), NOW + 1)
    assert anew.revision > before.revision
    assert before.with_block(Block(peer_id=LIAR, until=NOW), NOW - 3600).revision > before.revision  # a clock set back


def test_a_run_blocks_so_many_at_the_most() -> None:
    full = of_run("sums", *[Block(peer_id=f"{number}", until=NOW + 60) for number in range(MAX_BLOCKS)])
    with pytest.raises(ValueError, match="at the most"):
        full.with_block(Block(peer_id=LIAR, until=NOW + 60), NOW)


def test_a_successor_begins_with_the_list_before_it_and_keeps_what_it_has_blocked_itself_since() -> None:
    liar, own, over = (
        Block(peer_id=peer, until=NOW + 60 * sign) for peer, sign in ((LIAR, 1), (ORGANISER.peer_id, 1), ("past", -1))
    )
    before = BlockList(run_id="sums", revision=7, blocks=(liar, over))
    begun = BlockList(run_id="sums").continued(before, NOW)
    assert begun.blocks == (liar,) and begun.revision > before.revision
    copied = BlockList(run_id="sums", revision=6, blocks=(own,))
    assert copied.continued(before, NOW).blocks == (liar,), "an older copy of it"
    since = BlockList(run_id="sums", revision=8, blocks=(own,))
    assert set(since.continued(before, NOW).blocks) == {own, liar}
