"""The parsers of strangers' bytes, by name, each with inputs to begin with: fed with anything, they refuse it in words.

A target's function returns for whatever is refused as it should be; every other exception is a defect.
"""

from __future__ import annotations

import base64
import contextlib
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import msgspec
import torch
from hivemind.utils import MSGPackSerializer

from core.catalogue.refusal import RefusedCatalogueError
from core.catalogue.signed_file import _SIGNING_PREFIX, open_catalogue, sign_catalogue
from core.errors import UserError
from core.protocol.codec import decode_command, decode_event, encode
from core.protocol.events import Left
from core.run import block_list, signed_findings, signed_scores
from core.run.address import JoinAddress
from core.run.block_list import Block, BlockList, blocks_in
from core.run.manifest import decode_manifest
from core.run.run_file import parse_run_file, template
from core.run.signed_findings import AuditFindings, FoundLiar, TrialScore, findings_in
from core.run.signed_manifest import SignedManifest
from core.run.signed_record import sign_record
from core.run.signed_scores import EvaluationHistory, scores_in
from core.run.spec.collaboration import DeltaCodec
from core.run.steering import authority, control_value
from core.run.steering.authority import RunAuthority, heartbeat_in
from core.run.steering.control_value import ControlValue, control_in
from core.security.identity import Identity
from core.tickets import admission
from core.tickets import ticket as tickets
from core.tickets.admission import Admission, admission_in
from core.tickets.invitation_text import GivenTicket, InvitationSecret, read_text
from core.tickets.redemption import Answer, RedemptionDesk, answer_in, redemption_of
from core.tickets.ticket import (
    Invitation,
    SignedTicket,
    Ticket,
    TicketError,
    invitation_in,
    sign_invitation,
    sign_ticket,
    ticket_in,
)
from core.tickets.wallet import best_pass
from core.updates import notice as notices
from core.updates.notice import RefusedNoticeError, SignedNotice, notice_in
from core.worker.data.dataset_card import choose_config, configs_in
from core.worker.swarm.dht.autonat import dial_request, read_answer
from core.worker.swarm.dht.progress_reports import PeerReport
from core.worker.swarm.local_sgd.audit import messages as audit_messages
from core.worker.swarm.local_sgd.audit.messages import Account, Contribution, Finding, Question, Wanted
from core.worker.swarm.local_sgd.codecs.wire import codec
from core.worker.swarm.local_sgd.group_agreement import GroupAgreement, Told
from core.worker.swarm.local_sgd.state_file import check_state_file, write_state_file
from core.worker.swarm.state_parts.messages import Offer, PartOrder, Wish, decoded
from tests.core.catalogue.listed import catalogue as listed

CODECS = get_args(DeltaCodec)
NUMBERS = 700  # of an encoded part: some blocks, and a rest
STATE = (torch.zeros(3, 2), torch.zeros(1), torch.zeros(3, 2, dtype=torch.bfloat16))
RUN_FILE = template()
ORGANISER = Identity.create()
LED = RunAuthority((ORGANISER.peer_id,))


@dataclass(frozen=True)
class Target:
    """What is fed with bytes, and bytes that it understands."""

    feed: Callable[[bytes], None]
    seeds: tuple[bytes, ...]


def _signed_manifest(data: bytes) -> None:
    with contextlib.suppress(UserError):
        SignedManifest.from_bytes(data).opened()


def _manifest(data: bytes) -> None:
    with contextlib.suppress(UserError):
        decode_manifest(data)


def _run_file(data: bytes) -> None:
    with contextlib.suppress(UserError):
        parse_run_file(data.decode("utf-8", "replace"))


def _address(data: bytes) -> None:
    with contextlib.suppress(UserError):
        JoinAddress.parse(data.decode("utf-8", "replace"))


def _progress_record(data: bytes) -> None:
    try:
        value = MSGPackSerializer.loads(data)
    except Exception:  # whatever it is, hivemind drops the record
        return
    PeerReport.parse(value)


def _matchmaking(data: bytes) -> None:
    try:
        told = MSGPackSerializer.loads(data)
    except Exception:  # whatever it is, the member is left out
        return
    group = GroupAgreement([told, Told(3, (), 2, b"root", True, 2).packed()], told)
    assert group.size <= 2 and group.peers >= 0
    _ = group.version, group.has_quorum


def _tensor_part(data: bytes) -> None:
    if not data:
        return
    chosen = codec(CODECS[data[0] % len(CODECS)])
    with contextlib.suppress(ValueError):
        part = chosen.decode(torch.tensor(list(data[1:]), dtype=torch.uint8), NUMBERS)
        assert len(part) == NUMBERS and bool(part.isfinite().all())


def _dataset_card(data: bytes) -> None:
    with contextlib.suppress(ValueError):
        choose_config(configs_in(data.decode("utf-8", "replace")), None)


def _state_file(data: bytes) -> None:
    with tempfile.NamedTemporaryFile(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as file:
        file.write(data)
        file.flush()
        with contextlib.suppress(ValueError):
            check_state_file(Path(file.name), STATE)


def _scores(data: bytes) -> None:
    """As they come, and as an organiser would have signed them."""
    for encoded in (data, sign_record(signed_scores._KIND, data, ORGANISER)):
        scores_in(encoded, ORGANISER.peer_id, "sums")


def _blocks(data: bytes) -> None:
    """As they come, and as an organiser would have signed them, also as control values."""
    for encoded in (data, sign_record(block_list._KIND, data, ORGANISER)):
        blocks_in(encoded, ORGANISER.peer_id, "sums")
    control_in(sign_record(control_value._KIND, data, ORGANISER), ORGANISER.peer_id, "sums")
    heartbeat_in(sign_record(authority._KIND, data, ORGANISER), ORGANISER.peer_id, "sums")


def _findings(data: bytes) -> None:
    """As they come, and as an organiser would have signed them."""
    for encoded in (data, sign_record(signed_findings._KIND, data, ORGANISER)):
        if (found := findings_in(encoded, ORGANISER.peer_id, "sums")) is not None:
            found.barred(found.at)


def _ticket(data: bytes) -> None:
    """As they come, and as somebody would have signed them who holds a key of the run."""
    for kind in (tickets._TICKET, tickets._GRANT, admission._KIND):
        for encoded in (data, sign_record(kind, data, ORGANISER)):
            admission_in(encoded, ORGANISER.peer_id, "sums", LED)
            for ticket in (encoded, msgspec.msgpack.encode(SignedTicket(ORGANISER.peer_id, encoded))):
                with contextlib.suppress(TicketError):
                    ticket_in(ticket, ORGANISER.peer_id, "sums", LED, 1.0)
            with contextlib.suppress(TicketError):
                invitation_in(encoded, ORGANISER.peer_id, "sums")


def _invitation(data: bytes) -> None:
    """What is pasted, and what is asked and answered when it is redeemed."""
    given = None
    for text in (data.decode("latin-1"), base64.urlsafe_b64encode(data).decode().rstrip("=")):
        with contextlib.suppress(TicketError):
            given = read_text(text)
    best_pass([given], "sums", LED, ORGANISER.peer_id, 1.0)
    desk = RedemptionDesk(ORGANISER, LED, "sums", Path("/nonexistent/redeemed.json"))
    answer_in(desk.answer(data, ORGANISER.peer_id, 1.0))
    with contextlib.suppress(ValueError):
        answer_in(data)


def _dial_back(data: bytes) -> None:
    read_answer(data)


def _state_parts(data: bytes) -> None:
    for kind in (Wish, Offer, PartOrder):
        with contextlib.suppress(ValueError):
            decoded(data, kind)


def _audit(data: bytes) -> None:
    for kind in (Contribution, Wanted, Question, Account, Finding):
        with contextlib.suppress(ValueError):
            audit_messages.decoded(data, kind)


def _pipes(data: bytes) -> None:
    for decode in (decode_event, decode_command):
        with contextlib.suppress(ValueError):
            decode(data)


def _update_notice(data: bytes) -> None:
    """As it comes, and as a publisher would have signed it."""
    text = data.decode("utf-8", "replace")
    signed = SignedNotice(text, ORGANISER.sign(notices._SIGNING_PREFIX + text.encode()))
    for encoded in (data, signed.to_bytes()):
        with contextlib.suppress(RefusedNoticeError):
            notice_in(encoded, ORGANISER.peer_id)


def _catalogue(data: bytes) -> None:
    """As it comes, and as a publisher would have signed it."""
    body = data.partition(b"\n")[2] if data.startswith(b"# workerbee") else data
    signature = base64.b64encode(ORGANISER.sign(_SIGNING_PREFIX + body))
    for encoded in (data, b"# workerbee catalogue 1 %s %s\n%s" % (ORGANISER.peer_id.encode(), signature, body)):
        with contextlib.suppress(RefusedCatalogueError):
            open_catalogue(encoded, now=1.8e9)


def _state_bytes() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        write_state_file(path, STATE, {"round": "3"})
        return path.read_bytes()


def targets() -> dict[str, Target]:
    """All of them; what the worker does to hivemind's msgpack is up to the caller."""
    manifest = parse_run_file(RUN_FILE)
    report = {
        "peer_id": b"x" * 38,
        "epoch": 1,
        "samples_accumulated": 8,
        "samples_per_second": 1.5,
        "time": 1.8e9,
        "client_mode": False,
    }
    parts = tuple(
        bytes([number]) + bytes(codec(name).encode(torch.linspace(-1, 1, NUMBERS)).tolist())
        for number, name in enumerate(CODECS)
    )
    peer = f"/ip4/203.0.113.5/tcp/31337/p2p/{ORGANISER.peer_id}"
    card = "configs:\n- config_name: default\n  data_files:\n  - split: train\n    path: data/*.parquet\n"
    of_run: dict[str, Any] = {"run_id": "sums", "organiser": ORGANISER.peer_id}
    ticket = Ticket(**of_run, holder=ORGANISER.peer_id, until=2.0)
    invitation = Invitation(**of_run, key=ORGANISER.peer_id, uses=3, until=2.0)
    admitted = Admission(**of_run, key=bytes(16), at=1.0, ticket=sign_ticket(ticket, ORGANISER))
    secret = InvitationSecret(sign_invitation(invitation, ORGANISER), bytes(32))
    notice = json.dumps({"version": "1.2.3", "summary": "", "address": "https://example.org/"}).encode()
    liar, tried = FoundLiar(peer_id="a", at=1.0), TrialScore(peer_id="a", tries=1, worse=1, change=0.5)
    return {
        "signed-manifest": Target(_signed_manifest, (SignedManifest.sign(manifest, ORGANISER).to_bytes(),)),
        "manifest": Target(_manifest, (msgspec.json.encode(manifest), msgspec.msgpack.encode(manifest))),
        "run-file": Target(_run_file, (RUN_FILE.encode(),)),
        "address": Target(_address, (peer.encode(), f"workerbee://join?peer={peer}&run=sums&invitation=Ab_1".encode())),
        "progress-record": Target(_progress_record, (MSGPackSerializer.dumps(report),)),
        "matchmaking": Target(_matchmaking, (MSGPackSerializer.dumps(Told(3, (), 2, b"root", True, 2).packed()),)),
        "tensor-part": Target(_tensor_part, parts),
        "dataset-card": Target(_dataset_card, (card.encode(),)),
        "state-file": Target(_state_file, (_state_bytes(),)),
        "blocks": Target(
            _blocks,
            (
                msgspec.msgpack.encode(BlockList(run_id="sums", blocks=(Block(peer_id="a", until=1.0),))),
                msgspec.msgpack.encode(ControlValue(run_id="sums", number=1, notice="Back at noon.")),
            ),
        ),
        "findings": Target(
            _findings,
            (msgspec.msgpack.encode(AuditFindings(run_id="sums", liars=(liar,), trials=(tried,))),),
        ),
        "scores": Target(_scores, (msgspec.msgpack.encode(EvaluationHistory("sums", ())),)),
        "ticket": Target(
            _ticket,
            (
                sign_ticket(ticket, ORGANISER),
                msgspec.msgpack.encode(ticket),
                msgspec.msgpack.encode(invitation),
                msgspec.msgpack.encode(admitted),
            ),
        ),
        "invitation": Target(
            _invitation,
            (
                msgspec.msgpack.encode(secret),
                msgspec.msgpack.encode(GivenTicket(sign_ticket(ticket, ORGANISER))),
                redemption_of(secret, ORGANISER.peer_id),
                msgspec.msgpack.encode(Answer(refusal="used_up")),
            ),
        ),
        "dial-back": Target(_dial_back, (dial_request(b"peer", [b"\x04\x7f\x00\x00\x01"]),)),
        "state-parts": Target(_state_parts, tuple(map(msgspec.msgpack.encode, (Wish(), Offer(), PartOrder(0))))),
        "audit": Target(
            _audit,
            tuple(
                map(
                    audit_messages.packed,
                    (Contribution(b"g", 8.0), Wanted((1, 2)), Account((8.0,), (b"d",), (0.5,)), Finding((1,))),
                )
            ),
        ),
        "pipes": Target(_pipes, (encode(Left(contributed_samples=3)),)),
        "catalogue": Target(_catalogue, (sign_catalogue(listed(made=1.8e9), ORGANISER),)),
        "update-notice": Target(_update_notice, (notice,)),
    }
