"""How many rounds left all who took their outer step with equal base weights: from the versions of each peer."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.bench.local_sgd.recorded_peers import Move, RecordedPeer


@dataclass(frozen=True)
class RootCounts:
    """Numbers of rounds, each of which is one outer step.

    After a round all who took its step have ``equal`` roots, or each of those with another one than the right one was
    ``repaired`` before it took another step, at the latest by the weights of the round after the one in which it took
    the wrong step; or it left before. Else the round is ``unrepaired``. The right root is the one from which most went
    on; of as many, the one that most had. A round whose step only one peer took is ``alone``, and is among none of the
    others. ``astray`` counts the peers that had other base weights than most of those with as many steps at the end.
    """

    equal: int
    repaired: int
    unrepaired: int
    alone: int
    astray: int

    @property
    def share(self) -> float | None:
        """Of the rounds in which several took the step, those that are well."""
        rounds = self.equal + self.repaired + self.unrepaired
        return (self.equal + self.repaired) / rounds if rounds else None


def root_counts(peers: Mapping[str, Sequence[Move]], gone: Collection[str] = ()) -> RootCounts:
    """Of the versions that each peer has had, in order; nobody is astray who is ``gone``, and can repair nothing."""
    takers: dict[int, Counter[str]] = defaultdict(Counter)
    for moves in peers.values():
        for move in moves:
            if move.is_step:
                takers[move.steps][move.root] += 1
    went_on = Counter(_went_on_from(peers.values()))

    def right_root(steps: int) -> str:
        return max(takers[steps], key=lambda root: (went_on[steps, root], takers[steps][root]))

    right = {steps: right_root(steps) for steps in takers}
    several = [steps for steps, roots in takers.items() if roots.total() > 1]
    differing = [steps for steps in several if len(takers[steps]) > 1]
    times = _times_of_rounds(peers, right)
    repaired = sum(all(_is_repaired(moves, steps, right, times) for moves in peers.values()) for steps in differing)
    there = [moves[-1] for name, moves in peers.items() if moves and name not in gone]
    lasts = [last for last in there if last.steps in right]
    return RootCounts(
        equal=len(several) - len(differing),
        repaired=repaired,
        unrepaired=len(differing) - repaired,
        alone=len(takers) - len(several),
        astray=sum(last.root != right[last.steps] for last in lasts),
    )


def _went_on_from(peers: Iterable[Sequence[Move]]) -> Iterator[tuple[int, str]]:
    """The versions from which each peer took a step, and its last one."""
    for moves in peers:
        for move, following in itertools.zip_longest(moves, moves[1:]):
            if following is None or following.is_step:
                yield move.steps, move.root


def root_counts_of(peers: Iterable[RecordedPeer], gone: Iterable[RecordedPeer] = ()) -> RootCounts:
    """Of what these peers have recorded so far, some of which are ``gone``."""
    return root_counts({peer.mark: peer.moves() for peer in peers}, [peer.mark for peer in gone])


def disputes(peers: Iterable[RecordedPeer]) -> str:
    """Every version that each peer has had within two steps of a round whose takers differ: a line for each peer."""
    moves = {peer.mark: peer.moves() for peer in peers}
    takers: dict[int, set[str]] = defaultdict(set)
    for move in itertools.chain.from_iterable(moves.values()):
        if move.is_step:
            takers[move.steps].add(move.root)
    near = {steps + away for steps, roots in takers.items() if len(roots) > 1 for away in (-2, -1, 0, 1, 2)}
    return "".join(
        f"\n{mark}: " + " ".join(f"{each.at:.1f}s {_shown(each)}" for each in has_had if each.steps in near)
        for mark, has_had in moves.items()
    )


def _shown(move: Move) -> str:
    """``=`` marks a version that was not reached by a step."""
    return f"{'' if move.is_step else '='}{move.steps}:{move.root[:4]}"


def _times_of_rounds(peers: Mapping[str, Sequence[Move]], right: Mapping[int, str]) -> dict[int, float]:
    """When the first peer took the right step of each round."""
    times: dict[int, float] = {}
    for move in (move for moves in peers.values() for move in moves):
        if move.is_step and move.root == right[move.steps]:
            times[move.steps] = min(move.at, times.get(move.steps, move.at))
    return times


def _is_repaired(moves: Sequence[Move], steps: int, right: Mapping[int, str], times: Mapping[int, float]) -> bool:
    """Whether that peer took no step with a wrong outcome, or got right base weights before its next step.

    Who has missed a round takes the wrong step while the others take one with a higher number; who has lost nothing of
    a round that failed for the others takes it before they take the right one.
    """
    for move, following in itertools.zip_longest(moves, moves[1:]):
        if move.is_step and move.steps == steps and move.root != right[steps]:
            meanwhile = max(steps, min(times, key=lambda number: abs(times[number] - move.at)))
            return following is None or (
                not following.is_step
                and following.steps <= meanwhile + 1
                and following.root == right.get(following.steps, following.root)
            )
    return True
