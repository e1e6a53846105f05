"""An averager whose reducers are audited: after an exchange, some of its parts are averaged once more by another peer.

Each member that can be reached is an auditor of the others. Which parts it averages again it decides by lot once it has
all averages: until then nobody can know it, and no reducer can lie in the other parts only. The senders, who may be
behind routers, ask it which parts it wants, and send these once more; see ``verdict.py`` for what follows.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from typing import Any, AsyncIterator  # noqa: UP035 - hivemind reads this very annotation

import torch
from hivemind.averaging.group_info import GroupInfo
from hivemind.p2p import P2PContext, PeerID
from hivemind.proto import averaging_pb2, runtime_pb2
from hivemind.utils import MPFuture

from core.worker.swarm.aggregation.outcome import AllreduceOutcome
from core.worker.swarm.averaging.averager_process import POLL_SECONDS, AveragerProcess
from core.worker.swarm.local_sgd.audit.exchange import Audit, Exchange
from core.worker.swarm.local_sgd.audit.messages import (
    MAX_PARTS,
    MAX_WANTED,
    Account,
    Contribution,
    Finding,
    Question,
    Wanted,
    decoded,
    packed,
)
from core.worker.swarm.local_sgd.audit.shown_changes import ShownChanges
from core.worker.swarm.local_sgd.audit.verdict import AuditedPart, AuditRecord, Shown, Verdict, judge
from core.worker.swarm.local_sgd.codecs.encoded_tensors import EncodedTensors

CHANCE = 1 / 20  # that a part is averaged once more, by all auditors together
CONTRIBUTION_SECONDS = 20.0  # for the parts of all senders to be there, after we have all averages
ACCOUNT_SECONDS = 10.0  # for a reducer's account of a part
MAX_SECONDS = 60.0  # of an audit
MAX_SHOWN = 128  # parts of all senders together, of half a megabyte each
_SHOWN = b"shown "  # before the id of a peer whose silence is counted as a sender

log = logging.getLogger(__name__)


class AuditedAverager(AveragerProcess):
    """An averager of encoded changes, which audits others and gives account; see above.

    Who has lied as a reducer, or is in dispute with one, is among the outliers of the next round; who has lied by our
    own audit, among its liars. The run's signers, its organiser and keepers, form no group for an hour with whom they
    have found out, and neither does who hears of it by them: where everybody left out whom it alone has found, groups
    would fall apart.
    """

    audit_chance = CHANCE
    changes: EncodedTensors
    averages: EncodedTensors
    _audit: Audit | None = None
    _exchange: Exchange | None = None
    _wish: ShownChanges | None = None  # of the exchange that is under way, or comes next

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._signers, self._audit_record = frozenset[str](), AuditRecord()
        self._caught, self._found = set[PeerID](), set[PeerID]()
        self._audit_tasks = set[asyncio.Task[None]]()
        self._generation = torch.zeros((), dtype=torch.int64).share_memory_()  # type: ignore[no-untyped-call]
        super().__init__(*args, **kwargs)

    async def _aggregate_with_group(self, group_info: GroupInfo, **kwargs: Any) -> AllreduceOutcome:
        """Exchange as AveragerProcess does; who was caught since the last round is one of the outliers."""
        outcome = await super()._aggregate_with_group(group_info, **kwargs)
        outcome.outliers |= self._caught
        outcome.liars = frozenset(self._found)
        self._caught.clear()
        self._found.clear()
        return outcome

    async def _know_signers(self, signers: frozenset[str]) -> None:
        """Learn whose findings count, by their peer ids, from now on."""
        self._signers = signers

    def _audited_part(self, number: int, exchange: Exchange) -> AuditedPart:
        """The part of that number, whose average has just come."""
        raise NotImplementedError

    def _begin_audit(self, exchange: Exchange) -> None:
        """Let others audit that exchange, and audit it ourselves where we can be reached."""
        self._exchange, chosen, tried = exchange, self._chosen_parts(exchange), self._chosen_senders(exchange)
        own = {number: Shown(self.changes.part(number).numpy().tobytes(), exchange.weight) for number in chosen}
        audit = Audit(exchange, {number: self._audited_part(number, exchange) for number in chosen}, tried)
        audit.shown[self.peer_id] = own
        self._audit = audit
        if chosen:
            self._in_background(self._conclude(audit))
        if tried.peers:
            self._in_background(self._try(audit))
        for auditor in exchange.auditors - {self.peer_id}:
            self._in_background(self._contribute(auditor, exchange))

    def _chosen_parts(self, exchange: Exchange) -> list[int]:
        """The numbers of parts to audit, by lot, of those that others reduce; no more than there is memory for."""
        if self.peer_id not in exchange.auditors:
            return []
        lot, chance = secrets.SystemRandom(), self.audit_chance / max(1, len(exchange.auditors) - 1)
        others = [number for number, peer in enumerate(exchange.reducer_of) if peer != self.peer_id]
        chosen = [number for number in others if lot.random() < chance]
        most = max(1, min(MAX_PARTS, MAX_SHOWN // len(exchange.senders)))
        return sorted(lot.sample(chosen, min(len(chosen), most)))

    async def _show_changes(self, future: MPFuture[Any], generation: int, parts: int) -> None:
        """Set the future to the changes of two senders of the exchange for which ours were encoded so often."""
        if self._wish is not None:
            self._wish.end()
        self._wish = ShownChanges(future, generation, parts)

    def _chosen_senders(self, exchange: Exchange) -> ShownChanges:
        """Some senders whose changes are tried out, by lot; nobody if none waits for them, or we cannot be reached."""
        wish, self._wish = self._wish or ShownChanges(), None
        if wish.generation != exchange.generation or self.peer_id not in exchange.auditors:
            wish.end()
            return ShownChanges()
        places = {peer: exchange.senders.index(peer) for peer in exchange.weighed() if peer != self.peer_id}
        wish.choose(places, min(exchange.accounts, default=0))
        return wish

    async def _try(self, audit: Audit) -> None:
        """Pass on what the senders have shown that are tried; who shows what it has not sent to us has lied."""
        try:
            await audit.tried.wait(CONTRIBUTION_SECONDS)
            exchange = audit.exchange
            own = {number: account.digests for number, account in exchange.accounts.items()}
            liars = {peer for peer in audit.tried.silent() if self._audit_record.silent(_SHOWN + peer.to_bytes())}
            for peer in audit.tried.peers - audit.tried.silent():
                self._audit_record.answered(_SHOWN + peer.to_bytes())
                if audit.tried.differs(peer, exchange.senders.index(peer), own):
                    liars.add(peer)
            if liars:
                log.warning("%s showed not what it has sent", ", ".join(map(str, liars)))
            self._caught |= liars
        finally:
            audit.tried.end()

    def _in_background(self, coroutine: Coroutine[Any, Any, None]) -> None:
        async def limited() -> None:
            try:
                async with asyncio.timeout(MAX_SECONDS):
                    await coroutine
            except Exception as error:  # whatever a stranger's end of the line does
                log.info("an audit has ended early: %r", error)

        task = asyncio.create_task(limited())
        self._audit_tasks.add(task)
        task.add_done_callback(self._audit_tasks.discard)

    def _sent_part(self, number: int, exchange: Exchange) -> bytes:
        """What we have sent of that part; raises LookupError where it is there no more."""
        encoded = self.changes.part(number).numpy().tobytes()
        if int(self._generation) != exchange.generation:
            raise LookupError("our next changes are in its place")
        return encoded

    async def _contribute(self, auditor: PeerID, exchange: Exchange) -> None:
        """Send that auditor the parts that it wants, and hear what it has found."""
        wanted: asyncio.Future[Wanted] = asyncio.Future()

        async def sent() -> AsyncIterator[runtime_pb2.ExpertRequest]:
            yield runtime_pb2.ExpertRequest(metadata=packed(Contribution(exchange.group, exchange.weight)))
            most = MAX_WANTED if auditor.to_base58() in self._signers else MAX_PARTS
            for number in (await wanted).numbers[:most]:
                yield runtime_pb2.ExpertRequest(metadata=self._sent_part(number, exchange))

        answers = await self.get_stub(self._p2p, auditor, namespace=self.prefix).rpc_audit(sent())
        async with contextlib.aclosing(answers):
            first, found = await anext(answers, None), None
            wanted.set_result(decoded(first.metadata, Wanted) if first is not None else Wanted())
            if wanted.result().numbers:
                found = await anext(answers, None)
        if found is not None and auditor.to_base58() in self._signers:
            liars = decoded(found.metadata, Finding).liars
            self._distrust_liars(exchange.senders[index] for index in liars if index < len(exchange.senders))

    async def rpc_audit(
        self, stream: AsyncIterator[runtime_pb2.ExpertRequest], context: P2PContext
    ) -> AsyncIterator[averaging_pb2.DownloadData]:
        """Tell a sender which of its parts we average once more, receive these, and tell it what we have found."""
        with contextlib.suppress(ValueError, StopAsyncIteration, TimeoutError):
            async with asyncio.timeout(CONTRIBUTION_SECONDS):
                told = decoded((await anext(stream)).metadata, Contribution)
                audit = await self._audit_of(told.group)
            if context.remote_id not in audit.exchange.senders:
                return
            wanted, shown = audit.wanted_of(context.remote_id), dict[int, Shown]()
            yield averaging_pb2.DownloadData(metadata=packed(Wanted(wanted)))
            async with asyncio.timeout(CONTRIBUTION_SECONDS):
                for number in wanted:
                    encoded = (await anext(stream)).metadata
                    shown[number] = Shown(encoded[: self.changes.room(number) + 1], told.weight)
            audit.tried.add(context.remote_id, shown)
            audit.shown.setdefault(context.remote_id, {number: shown[number] for number in audit.parts})
            if audit.parts:
                yield averaging_pb2.DownloadData(metadata=packed(await asyncio.shield(audit.finding)))

    async def _audit_of(self, group: bytes) -> Audit:
        """The audit of that group's exchange, once that is over for us, too."""
        while self._audit is None or self._audit.exchange.group != group:
            await asyncio.sleep(POLL_SECONDS)
        return self._audit

    async def _exchange_of(self, group: bytes) -> Exchange:
        """The exchange of that group, once it is over for us, too."""
        while self._exchange is None or self._exchange.group != group:
            await asyncio.sleep(POLL_SECONDS)
        return self._exchange

    async def rpc_account(
        self, request: runtime_pb2.ExpertRequest, context: P2PContext
    ) -> AsyncIterator[averaging_pb2.DownloadData]:
        """Give account of a part of the last exchange to somebody who was in it, and what we have sent of it."""
        with contextlib.suppress(ValueError, LookupError, TimeoutError):
            question = decoded(request.metadata, Question)
            async with asyncio.timeout(ACCOUNT_SECONDS):
                exchange = await self._exchange_of(question.group)
            if context.remote_id in exchange.senders:
                account, own = exchange.accounts[question.number], self._sent_part(question.number, exchange)
                yield averaging_pb2.DownloadData(metadata=packed(account), tensor_part=runtime_pb2.Tensor(buffer=own))

    async def _conclude(self, audit: Audit) -> None:
        """Ask the reducers, wait for the senders, and tell everybody what follows.

        A sender that shows nothing has us wait, and the next exchange of a reducer may have begun before that is over.
        """
        liars, reducer_of, group = set[PeerID](), audit.exchange.reducer_of, audit.exchange.group
        asked = [self._account_of(reducer_of[number], Question(group, number)) for number in audit.parts]
        try:
            answers, _ = await asyncio.gather(asyncio.gather(*asked, return_exceptions=True), self._all_shown(audit))
            accounts = dict(zip(audit.parts, answers, strict=True))
            liars |= self._too_silent(audit, accounts)
            for number, account in accounts.items():
                if not isinstance(account, BaseException):
                    liars |= await self._liars_of(audit, number, *account)
            self._found |= liars
            if self.peer_id.to_base58() in self._signers:
                self._distrust_liars(liars)
        finally:
            senders = enumerate(audit.exchange.senders)
            audit.shown.clear()
            audit.finding.set_result(Finding(tuple(index for index, peer in senders if peer in liars)))

    async def _all_shown(self, audit: Audit) -> None:
        """Wait for the parts of all senders, for a while."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CONTRIBUTION_SECONDS):
                while not audit.is_complete():
                    await asyncio.sleep(POLL_SECONDS)

    def _too_silent(self, audit: Audit, accounts: Mapping[int, tuple[Account, bytes] | BaseException]) -> set[PeerID]:
        """The reducers that have left parts of too many exchanges in a row without account.

        Who has begun its next exchange can account for no part of the last one: however many parts that are, it is one
        silence. Who accounts for some parts only, as for those that it has averaged truly, has kept silent too.
        """
        reducer_of = audit.exchange.reducer_of
        silent = {reducer_of[number]: each for number, each in accounts.items() if isinstance(each, BaseException)}
        for reducer in {reducer_of[number] for number in accounts} - silent.keys():
            self._audit_record.answered(reducer.to_bytes())
        for reducer, error in silent.items():  # it has left, or will not say
            log.info("%s does not account for all of its parts: %r", reducer, error)
        return {reducer for reducer in silent if self._audit_record.silent(reducer.to_bytes())}

    async def _liars_of(self, audit: Audit, number: int, account: Account, own: bytes) -> set[PeerID]:
        """Who has lied about that part for certain, or by what is known of it so far; its reducer's account and own."""
        reducer, senders, part = audit.exchange.reducer_of[number], audit.exchange.senders, audit.parts[number]
        shown = audit.shown_of(number) | {part.reducer: Shown(own, 0.0)}
        verdict = await asyncio.get_running_loop().run_in_executor(None, judge, part, shown, account)
        log.info("part %d of %s was averaged once more: %s", number, reducer, verdict)
        return self._named_by(verdict or Verdict(), reducer, senders)

    def _named_by(self, verdict: Verdict, reducer: PeerID, senders: Sequence[PeerID]) -> set[PeerID]:
        """Whom a verdict makes a liar; all whom it concerns are named with the next round."""
        liars = {reducer} if verdict.is_liar else set[PeerID]()
        if verdict.disputed:
            others = [senders[index] for index in verdict.disputed]
            log.warning("%s and %s say different things of what was sent", reducer, ", ".join(map(str, others)))
            self._caught |= {reducer, *others}
            disputing = self._audit_record.disputed(reducer.to_bytes(), [peer.to_bytes() for peer in others])
            liars |= {peer for peer in (reducer, *others) if peer.to_bytes() in disputing}
        if liars:
            log.warning("%s returned what is not the average", ", ".join(map(str, liars)))
            self._caught |= liars
        return liars

    async def _account_of(self, reducer: PeerID, question: Question) -> tuple[Account, bytes]:
        """What that reducer says, and its own bytes of the part; raises whatever the line does, and ValueError."""
        stub = self.get_stub(self._p2p, reducer, namespace=self.prefix)
        async with asyncio.timeout(ACCOUNT_SECONDS):
            answers = await stub.rpc_account(runtime_pb2.ExpertRequest(metadata=packed(question)))
            async with contextlib.aclosing(answers):
                answer = await anext(answers)
        return decoded(answer.metadata, Account), answer.tensor_part.buffer

    def _distrust_liars(self, liars: Iterable[PeerID]) -> None:
        """Form no group with them for an hour, but for signers: none of these is distrusted on another's word."""
        named = {*liars} - {self.peer_id}
        self._caught |= named
        self._distrust(peer for peer in named if peer.to_base58() not in self._signers)
