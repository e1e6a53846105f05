"""What the command line makes of figures, times and strangers' words."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import struct
import termios
from dataclasses import replace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from core.cli.options.shared_options import Limits
from core.cli.options.values import parse_duration, parse_size
from core.cli.output.fitting_table import FittingTable
from core.cli.output.live_table import picture
from core.cli.output.plain import PlainDisplay
from core.cli.output.summary import Tally
from core.cli.output.wrapping import print_wrapped
from core.client.session import Session
from core.errors import ErrorKind
from core.localizable import LocalizedText, localized
from core.protocol.client_events import ClientEvent
from core.protocol.commands import Join, Publish, Start
from core.protocol.events import Evaluated, Failed, Network, Progress, RoundFinished, RunFound, Warned
from core.protocol.examples import Solved
from core.protocol.experts import ExpertSeen, ExpertsSeen
from core.run.multiaddr import Multiaddr
from core.run.run_file import parse_run_file, template
from core.run.steering.control_value import Order
from core.security.sanitize import sanitize_line, sanitize_text
from tests.support.consents import NO_DIGEST


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("45s", 45), ("10m", 600), ("1h30m", 5400), ("2d", 172800), ("90", 90), (" 1H5S ", 3605)],
)
def test_a_time_is_read_as_people_write_it(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "0m", "m", "10 minutes", "-5m", "1m1h", "1.5h", "9" * 40, "１m²"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="write it as"):
        parse_duration(text)


@pytest.mark.parametrize(("text", "size"), [("6GB", 6 * 10**9), (" 800 mb ", 8 * 10**8), ("1TB", 10**12)])
def test_a_size_is_read_as_people_write_it(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "0GB", "6", "GB", "6 GiB", "-6GB", "1.5GB", "6" * 40 + "GB", "６GB"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="write it as"):
        parse_size(text)


@given(st.text())
def test_no_text_can_command_a_terminal(text: str) -> None:
    assert all(each.isprintable() for each in sanitize_line(text))
    assert all(each.isprintable() or each == "\n" for each in sanitize_text(text))
    assert len(sanitize_line(text * 50)) <= 400


def test_letters_of_all_scripts_are_harmless() -> None:
    assert sanitize_line("Grüße 你好 שלום → ✓") == "Grüße 你好 שלום → ✓"


@pytest.mark.parametrize(
    ("limits", "is_reached"),
    [
        (Limits(), False),
        (Limits(epochs=3), True),
        (Limits(epochs=4), False),
        (Limits(samples=100), True),
        (Limits(samples=101), False),
        (Limits(seconds=60), True),
        (Limits(seconds=61), False),
    ],
)
def test_a_limit_is_reached_when_it_is_met(limits: Limits, is_reached: bool) -> None:
    assert limits.reached(epochs_done=3, contributed_samples=100, training_seconds=60.0) is is_reached


def progress(loss: float | None) -> Progress:
    """Some way into an epoch."""
    return Progress(
        epoch=1,
        samples=1,
        target=2,
        samples_per_second=None,
        swarm_samples_per_second=None,
        peers=1,
        clients=0,
        loss=loss,
    )


def test_the_summary_counts_only_rounds_with_others() -> None:
    session = Session(phase="training", epochs_done=3, contributed_samples=12416)
    tally = Tally()
    events: list[ClientEvent] = [
        progress(None),
        progress(2.31),
        RoundFinished(epoch=1, kind="gradients", ok=True, peers=3, seconds=1),
        RoundFinished(epoch=1, kind="state", ok=False, peers=1, seconds=1, reason=LocalizedText("nobody came")),
        RoundFinished(epoch=2, kind="gradients", ok=True, peers=1, seconds=1),
        RoundFinished(epoch=3, kind="changes", ok=True, peers=3, seconds=1, stepped=False),
        progress(1.2),
    ]
    for at, event in enumerate(events):
        tally = tally.after(event, session, now=float(at))
    assert tally.summary(session, now=41.0) == (
        "Helped for 3 epochs: 12,416 samples in 41 s, 1 of 3 rounds averaged with others; loss 2.31 → 1.20."
    )


def test_the_live_picture_tells_the_longest_time_that_the_loop_has_stood_still() -> None:
    session, tally = Session(phase="training", progress=progress(2.31)), Tally()
    for stalled in (0.02, 0.31, 0.0):
        tally = tally.after(msgspec.structs.replace(progress(2.31), stalled_seconds=stalled), session, now=0.0)
    assert "stood still" in shown(session, tally) and "at most 310 ms at a time" in shown(session, tally)


def test_without_training_there_is_nothing_to_sum_up() -> None:
    assert Tally().summary(Session(), now=5.0) == "Left before the training began."


def drawn(*examples: str) -> str:
    """The live picture after an evaluation with those examples."""
    solved = tuple(Solved(text=text, correct=True) for text in examples)
    return shown(replace(Session(), evaluated=Evaluated(epoch=1, loss=1.0, accuracy=0.5, examples=solved)))


def shown(session: Session, tally: Tally | None = None) -> str:
    """The live picture of that session."""
    console = Console(width=120, file=io.StringIO())
    with console.capture() as captured:
        console.print(picture(session, tally or Tally(), now=0.0))
    return captured.get()


def test_short_examples_stand_beside_and_long_ones_below_each_other() -> None:
    assert "✓ 1+2=3   ✓ 2+2=4" in drawn("1+2=3", "2+2=4")
    lines = drawn("Ada keeps the bees ▸ and the honey", "Bo keeps the wax ▸ and the hive").splitlines()
    assert sum("✓" in line for line in lines) == 2


EXPERTS = ExpertsSeen(
    experts=(
        ExpertSeen(layer=1, number=0, host="12D3KooWme", is_mine=True, tokens=900),
        ExpertSeen(layer=1, number=1, host="12D3KooWother", latency_seconds=0.1),
        ExpertSeen(layer=1, number=2),
    ),
    sent_tokens_per_second=1240.0,
    received_tokens_per_second=7.5,
    found_share=0.972,
    untold=1,
)
EXPERTS_WORDS = (
    "2 of 3 experts present, 1 of them here · 1,240 tokens/s sent · 7.5 tokens/s received · "
    "97 % of the tokens sent found their expert · 1 more expert not shown"
)


def test_experts_are_a_part_of_the_progress_in_a_run_that_has_any() -> None:
    with_experts, without = io.StringIO(), io.StringIO()
    PlainDisplay(with_experts).handle_event(progress(1.5), Session(experts=EXPERTS))
    assert with_experts.getvalue().endswith(f", loss 1.50. Experts: {EXPERTS_WORDS}.\n")
    PlainDisplay(without).handle_event(progress(1.5), Session())
    assert without.getvalue().endswith(", loss 1.50.\n")


RUN = parse_run_file(template())


def test_what_has_happened_to_a_worker_that_is_started_again_is_told_once_and_a_final_failure_elsewhere() -> None:
    failed = Failed(
        problem=ErrorKind.WORKER_CRASHED.key, detail=localized("The GPU has failed: %1.", "CUDA error: \x1b[2Jgone")
    )
    out = io.StringIO()
    PlainDisplay(out).handle_event(failed, Session(crash=failed))
    PlainDisplay(out).handle_event(failed, Session(problem=ErrorKind.WORKER_CRASHED))
    lost = Failed(problem=ErrorKind.SWARM_LOST.key, detail="nobody")
    PlainDisplay(out).handle_event(lost, Session(crash=lost))
    assert out.getvalue().count("The GPU has failed: CUDA error: ") == 1
    assert "\x1b" not in out.getvalue() and "nobody" not in out.getvalue()


def test_a_pause_of_our_run_is_told_once_and_while_it_lasts_nothing_is_repeated() -> None:
    out = io.StringIO()
    ours = Session(consent=Start(run_id=RUN.run.id, organiser="12D3Koo", digest=NO_DIGEST, device="cpu"))
    display, running = (
        PlainDisplay(out),
        RunFound(manifest=RUN, organiser="12D3Koo", vouched=True),
    )
    paused = msgspec.structs.replace(running, order=Order(state="paused", since=1e9, reason="The data moves house."))
    display.handle_event(paused, Session())  # one that was found, and that nobody has agreed to
    display.handle_event(running, Session())
    for event in (running, paused, progress(1.5), paused, progress(1.5), progress(1.5), running):
        display._limited_line_at = 0.0  # as if seconds had passed
        display.handle_event(event, ours)
    told = out.getvalue().splitlines()
    assert [line.split(",")[0] for line in told[1:]] == ["Epoch 1: 1 of 2 samples", "The organiser lets the run go on."]
    assert told[0].startswith("The organiser paused the run") and told[0].endswith(": The data moves house.")


def test_what_the_organiser_says_later_is_told_once_in_lines_and_stays_in_the_picture() -> None:
    out = io.StringIO()
    ours = Session(consent=Start(run_id=RUN.run.id, organiser="12D3Koo", digest=NO_DIGEST, device="cpu"))
    found = RunFound(manifest=RUN, organiser="12D3Koo", vouched=True)
    info = msgspec.structs.replace(RUN.run, notice="Back at noon.")
    told = msgspec.structs.replace(found, manifest=msgspec.structs.replace(RUN, run=info))
    display = PlainDisplay(out)
    for event in (found, told, told, found):
        display.handle_event(event, ours)
    assert out.getvalue() == "The organiser says: Back at noon.\n"
    console = Console(width=60, record=True, file=io.StringIO())
    console.print(picture(Session(phase="training", runs=(told,), chosen=told), Tally(), now=0.0))
    assert "notice  Back at noon." in console.export_text()


def test_the_end_of_a_run_is_told_at_once_by_who_publishes_it_and_by_others_as_they_leave() -> None:
    found = RunFound(manifest=RUN, organiser="12D3Koo", vouched=True)
    ended = msgspec.structs.replace(found, order=Order(state="ended", since=1e9, reason="It knows its sums."))
    volunteer = Session(
        consent=Start(run_id=RUN.run.id, organiser="12D3Koo", digest=NO_DIGEST, device="cpu"), chosen=ended
    )
    organiser = Session(opening=Publish(manifest=RUN, home="/"))
    words = "The organiser has ended the run. Thank you for helping: It knows its sums."
    told = {}
    for session in (volunteer, organiser):
        out = io.StringIO()
        display = PlainDisplay(out)
        for event in (found, ended):
            display.handle_event(event, session)
        told[session] = out.getvalue()
    assert told == {volunteer: "", organiser: f"{words}\n"}
    assert Tally().summary(volunteer, now=5.0).startswith(words)


def test_who_only_asks_for_the_peers_has_chosen_no_way_to_be_reached() -> None:
    reached = Network(mode="client", reason=localized("You chose it: this computer only connects outwards."))
    told = {}
    for lists_peers in (True, False):
        out = io.StringIO()
        opening = Join(addresses=(Multiaddr("/ip4/127.0.0.1/tcp/1"),), home="/", lists_peers=lists_peers)
        PlainDisplay(out).handle_event(reached, Session(opening=opening))
        told[lists_peers] = out.getvalue()
    assert told[True] == "" and "You chose it" in told[False]


def test_a_warning_in_a_swarm_says_whose_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("volunteer 1", ""):
        PlainDisplay(io.StringIO(), name).handle_event(Warned(problem=ErrorKind.EXPERTS_AWAY.key), Session())
    of_one, of_ours = capsys.readouterr().err.splitlines()
    assert of_one.startswith("volunteer 1: Note: Nobody answers") and of_ours.startswith("Note: Nobody answers")


def test_a_terminal_gets_whole_words_and_whole_addresses_and_a_pipe_whole_lines() -> None:
    address = f"workerbee://join?peer={'A' * 60}-{'B' * 60}"
    text = f"The rule about games cannot see anything here.\n✗ 1+1=3   ✓ 1+2=3\n{address}"
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 30, 0, 0))
    with os.fdopen(slave, "w") as terminal, os.fdopen(master, "rb", buffering=0) as screen:
        print_wrapped(text, terminal)
        shown = screen.read(4096).decode().splitlines()
    assert shown == ["The rule about games cannot", "see anything here.", "✗ 1+1=3   ✓ 1+2=3", address]
    piped = io.StringIO()
    print_wrapped(text, piped)
    assert piped.getvalue() == f"{text}\n"


@pytest.mark.parametrize(("width", "headings"), [(60, "peer epoch given loss status"), (40, "peer epoch status")])
def test_a_narrow_terminal_gets_fewer_columns_of_a_swarm_and_whole_words(width: int, headings: str) -> None:
    status = "Training · epoch 12 · averaged with 6 peers 12 s ago"
    row = [Text(cell) for cell in ("volunteer 1", "12", "3.4 samples/s", "12,345", "1.234", status)]
    names = ("peer", "epoch", "samples", "given", "loss", "status")
    table = FittingTable(names, [row], ("samples", "given", "loss"), ("status",), 20)
    console = Console(width=width, file=io.StringIO())
    with console.capture() as captured:
        console.print(table)
    shown = captured.get().split()
    assert shown[: len(headings.split())] == headings.split() and "…" not in captured.get()
    assert [word for word in status.split() if word not in shown] == []


def test_the_live_picture_has_a_line_of_experts() -> None:
    console = Console(width=200, file=io.StringIO())
    with console.capture() as captured:
        console.print(picture(Session(experts=EXPERTS), Tally(), now=0.0))
    assert EXPERTS_WORDS in captured.get()
