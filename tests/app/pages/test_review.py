"""The second page says what a run is and asks for; Start is a person's decision, where it can work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.pages.review.page import ReviewPage
from app.widgets.list_button import ListButton
from core.availability.rules import AvailabilityRules
from core.client.reducer import reduce
from core.client.session import Session
from core.errors import ErrorKind
from core.files.disk_space import DiskSpace
from core.hardware.device import Device
from core.protocol.client_events import Asked, ClientEvent, WorkerExited
from core.protocol.commands import DryRun
from core.protocol.events import Confined, Failed, FitMeasured, LineMeasured, Restarting, RunFound
from core.records.settings import Settings
from core.run.manifest import Requirements
from core.run.steering.control_value import Order
from tests.app.support.browser import Browser, installed
from tests.app.support.sample_sessions import BUSY_GPU, CPU, GIGABYTE, GPU, PEER, run_found, search, seen
from tests.core.texts.test_run_sources import manifest_with_all_sources, missing_sources

RUN = run_found(name="Learning to add", description="Sums.", license="MIT", homepage="https://example.org/a")
STRANGER = "12D3KooWQ" + PEER[9:]
FORGERY = run_found(organiser=STRANGER, vouched=False, name="Learning to add, too")
OTHER = run_found("words", name="Learning to read")


@pytest.fixture
def page(qtbot: QtBot) -> ReviewPage:
    page = ReviewPage()
    qtbot.addWidget(page)
    page.resize(800, 600)
    page.show_devices(seen(GPU, CPU), "auto")
    page.show_disk(DiskSpace(80_000_000_000))
    page.show_settings(Settings())
    page.show()
    return page


@pytest.fixture
def browser() -> Iterator[Browser]:
    """Instead of the person's own."""
    with installed() as browser:
        yield browser


def test_every_host_and_repository_is_named_before_anybody_agrees(page: ReviewPage) -> None:
    run = msgspec.structs.replace(RUN, manifest=manifest_with_all_sources())
    page.show_session(search(run))
    assert not missing_sources(page.offer.facts.text)


def test_a_run_is_shown_and_started(page: ReviewPage, qtbot: QtBot) -> None:
    page.show_session(search(RUN))
    assert page.offer.title.text() == "Learning to add"
    assert page.offer.description.text == "Sums."
    assert "Licence: MIT" in page.offer.facts.text and PEER[:12] in page.offer.facts.text
    with qtbot.waitSignal(page.start_requested) as started:
        page.bar.start.click()
    assert started.args == [RUN]


def said_of_trust(page: ReviewPage) -> tuple[str, str]:
    return page.offer.trust.severity, page.offer.trust.text.splitlines()[0]


def test_who_vouches_is_said_plainly(page: ReviewPage) -> None:
    page.show_session(search(RUN))
    assert said_of_trust(page) == ("good", "Vouched for by the address.")
    page.show_session(search(FORGERY))
    assert said_of_trust(page) == ("caution", "The address does not vouch for this run.")
    page.show_session(search(msgspec.structs.replace(RUN, organiser="", vouched=False)))
    assert "your own file" in page.offer.trust.text


def test_what_fits_is_the_default_and_enter_starts(page: ReviewPage, qtbot: QtBot) -> None:
    page.show_session(search(RUN))
    assert "GPU memory: fits" in page.offer.needs.text and "Downloads 1.2 MB" in page.offer.needs.text
    assert page.bar.start.isDefault()
    with qtbot.waitSignal(page.start_requested):
        QTest.keyClick(page, Qt.Key.Key_Return)


def test_what_is_tight_says_so_and_may_start(page: ReviewPage) -> None:
    page.show_devices(seen(replace(GPU, memory_free_bytes=540_000_000), CPU), "auto")
    page.show_session(search(RUN))
    assert "GPU memory: tight" in page.offer.needs.text and "540.0 MB" in page.offer.needs.text
    assert page.bar.start.isDefault() and "just fits" in page.bar.text


def test_what_does_not_fit_may_be_started_but_not_by_enter(page: ReviewPage, qtbot: QtBot) -> None:
    page.show_devices(seen(BUSY_GPU, CPU), "auto")
    page.show_session(search(RUN))
    assert "GPU memory: does not fit" in page.offer.needs.text and "100.0 MB" in page.offer.needs.text
    assert "does not fit" in page.bar.text
    with qtbot.assertNotEmitted(page.start_requested):
        QTest.keyClick(page, Qt.Key.Key_Return)
    with qtbot.waitSignal(page.start_requested):
        page.bar.start.click()


def test_a_gpu_that_gets_room_changes_the_verdict(page: ReviewPage) -> None:
    page.show_devices(seen(BUSY_GPU, CPU), "auto")
    page.show_session(search(RUN))
    page.show_devices(seen(GPU, CPU), "auto")
    assert page.bar.start.isDefault()


def test_on_the_cpu_there_is_no_need_of_gpu_memory(page: ReviewPage) -> None:
    page.show_devices(seen(CPU), "auto")
    page.show_session(search(RUN))
    assert "GPU memory" not in page.offer.needs.text and "Memory: fits" in page.offer.needs.text


def test_the_limit_of_the_settings_is_named_where_it_is_what_ends_first(page: ReviewPage) -> None:
    asking = msgspec.structs.replace(RUN.manifest, requirements=Requirements(disk_mib=2000))
    page.show_session(search(msgspec.structs.replace(RUN, manifest=asking)))
    page.show_disk(DiskSpace(1_000_000_000, is_limited=True))
    assert "Disk: does not fit. Needs about 2.1 GB; 1.0 GB are left of the limit" in page.offer.needs.text
    page.show_disk(DiskSpace(80_000_000_000))
    assert "80.0 GB are free" in page.offer.needs.text


def test_a_device_that_is_gone_cannot_train(page: ReviewPage) -> None:
    page.show_session(search(RUN))
    page.show_devices(seen(CPU), "GPU-gone")
    assert not page.bar.start.isEnabled() and "device" in page.bar.text


@pytest.mark.parametrize(("state", "word"), [("paused", "paused"), ("finished", "finished")])
def test_a_closed_run_cannot_be_started(page: ReviewPage, state: str, word: str) -> None:
    page.show_session(search(run_found(state=state, notice="Back on Monday.")))
    assert word in page.offer.closed.text and "Back on Monday." in page.offer.notice.text
    assert not page.bar.start.isEnabled()


def test_a_paused_run_says_so_before_it_is_agreed_to_and_may_be_started(page: ReviewPage) -> None:
    order = Order(state="paused", since=1.0, reason="The data moves house.")
    page.show_session(search(msgspec.structs.replace(run_found(), order=order)))
    assert "paused the run " in page.offer.closed.text and "The data moves house" in page.offer.closed.text
    assert page.bar.start.isEnabled()
    draining = msgspec.structs.replace(run_found(), order=Order(state="draining"))
    page.show_session(search(draining))
    assert "takes nobody new" in page.offer.closed.text and not page.bar.start.isEnabled()


def test_a_worker_that_died_meanwhile_cannot_start(page: ReviewPage) -> None:
    session = reduce(search(RUN), WorkerExited(1))
    page.show_session(session)
    assert not page.bar.start.isEnabled() and "again" in page.bar.text
    session = reduce(session, Restarting(attempt=1, seconds=2.0))
    page.show_session(reduce(session, Failed(problem=ErrorKind.ENGINE_MISSING.key)))
    assert not page.bar.start.isEnabled()


def test_strangers_see_what_they_see(page: ReviewPage) -> None:
    page.show_settings(Settings(public_name="Anna"))
    page.show_session(search(RUN))
    assert PEER[:12] in page.offer.visible_card.text and "“Anna”" in page.offer.visible_card.text
    assert "country" not in page.offer.visible_card.text and "model cards" not in page.offer.visible_card.text
    page.show_settings(Settings(public_name="Anna", may_be_named=True, country="DE"))
    assert "as you tell it: Germany" in page.offer.visible_card.text
    assert "that model cards of this run may call you by your name" in page.offer.visible_card.text
    page.show_settings(Settings())
    assert len(page.offer.visible_card.text.splitlines()) == 1


def test_what_this_computer_cannot_keep_from_the_training_process_is_said(page: ReviewPage) -> None:
    hint = page.offer.visible_card.confinement
    page.show_session(reduce(search(RUN), Confined()))
    assert hint.isHidden()
    page.show_session(reduce(search(RUN), Confined(gaps=("sockets",))))
    assert hint.isVisible() and "the sockets of your session" in hint.text()


def test_of_several_runs_one_is_chosen(page: ReviewPage, qtbot: QtBot) -> None:
    page.show_session(search(OTHER, FORGERY))
    assert not page.bar.start.isVisible()
    rows = page.choice.findChildren(ListButton)
    assert [row.accessibleName() for row in rows] == ["Learning to read", "Learning to add, too"]
    rows[1].click()
    assert page.offer.title.text() == "Learning to add, too" and page.bar.start.isVisible()
    page.bar.back.click()
    assert not page.bar.start.isVisible()
    with qtbot.waitSignal(page.back_requested):
        page.bar.back.click()


def test_of_two_runs_with_one_name_the_vouched_one_is_meant(page: ReviewPage, qtbot: QtBot) -> None:
    page.show_session(search(FORGERY, RUN, run_id="sums"))
    with qtbot.waitSignal(page.start_requested) as started:
        page.bar.start.click()
    assert started.args == [RUN]
    page.others.click()
    assert len(page.choice.findChildren(ListButton)) == 2 and not page.bar.start.isVisible()


def test_only_the_run_that_the_address_names_is_shown(page: ReviewPage) -> None:
    page.show_session(search(OTHER, RUN, run_id="words"))
    assert page.offer.title.text() == "Learning to read"


def test_what_is_said_later_of_the_same_run_is_shown(page: ReviewPage) -> None:
    page.show_session(search(RUN))
    page.show_session(search(msgspec.structs.replace(RUN, epoch=7, samples_per_second=512.0)))
    assert "epoch 7" in page.offer.facts.text and "512/s" in page.offer.facts.text


def test_escape_goes_back(page: ReviewPage, qtbot: QtBot) -> None:
    page.show_session(search(RUN))
    with qtbot.waitSignal(page.back_requested):
        QTest.keyClick(page, Qt.Key.Key_Escape)


def test_a_link_is_opened_by_a_click_only(page: ReviewPage, browser: Browser) -> None:
    page.show_session(search(RUN))
    assert browser.opened == [] and "https://example.org/a" in page.offer.facts.text
    page.offer.link.click()
    assert browser.opened == ["https://example.org/a"]


@pytest.mark.parametrize(
    "homepage",
    ["file:///etc/passwd", "javascript:alert(1)", "https://bank.com@evil.org/", "https://", "x", ""],
)
def test_other_links_than_to_the_web_are_not_offered(page: ReviewPage, homepage: str) -> None:
    page.show_session(search(run_found(homepage=homepage)))
    assert not page.offer.link.isVisible() and "Web page" not in page.offer.facts.text


def test_strangers_words_are_plain_and_keep_within_the_window(page: ReviewPage) -> None:
    wild = "<h1>\u202e" + "W" * 100
    lines = "\n" * 500
    page.show_session(search(run_found(name=wild, description=f"{wild}{lines}\x1b[2J", license="L" * 200)))
    assert page.offer.title.textFormat() == Qt.TextFormat.PlainText
    assert page.offer.title.text().replace("\u200b", "") == "<h1>" + "W" * 100
    assert page.offer.description.text.count("\n") < 3 and "\x1b" not in page.offer.description.text
    assert page.offer.minimumSizeHint().width() < 560


def test_a_long_description_is_folded(page: ReviewPage) -> None:
    page.show_session(search(run_found(description="word " * 1000)))
    folded = page.offer.description.text
    page.offer.description.more.click()
    assert len(folded) < 800 < len(page.offer.description.text)


# The dry run


FIT = FitMeasured(device="cuda:0", micro_batch=4, samples_per_second=31.4, memory_bytes=3 * GIGABYTE)
BUSY_RUN = msgspec.structs.replace(RUN, samples_per_second=7800.0)


def dry_run(*events: ClientEvent) -> Session:
    """The picture of one of that run, in which this happened."""
    session = Session()
    for event in (Asked(DryRun(manifest=RUN.manifest, device="cuda:0")), *events):
        session = reduce(session, event)
    return session


def test_a_run_that_is_looked_at_is_to_be_tried_on_the_device(page: ReviewPage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.dry_run_requested) as wanted:
        page.show_session(search(RUN))
    assert wanted.args == [RUN, GPU]


@pytest.mark.parametrize(
    ("device", "run"), [(BUSY_GPU, RUN), (GPU, run_found(state="paused"))], ids=["too small", "closed"]
)
def test_what_cannot_be_started_well_is_not_tried(
    page: ReviewPage, qtbot: QtBot, device: Device, run: RunFound
) -> None:
    page.show_devices(seen(device, CPU), "auto")
    with qtbot.assertNotEmitted(page.dry_run_requested):
        page.show_session(search(run))


def test_while_it_is_measured_that_is_said_and_nobody_has_to_wait(page: ReviewPage, qtbot: QtBot) -> None:
    page.show_session(search(RUN))
    page.show_dry_run(dry_run())
    assert "Measuring how much fits" in page.offer.needs.text
    page.show_devices(seen(replace(GPU, memory_free_bytes=100), CPU), "auto")  # the dry run has the rest
    assert "GPU memory: fits" in page.offer.needs.text and page.bar.start.isDefault()
    with qtbot.waitSignal(page.start_requested):
        page.bar.start.click()


def test_what_was_measured_is_said_in_one_line(page: ReviewPage, english: None) -> None:
    page.show_session(search(BUSY_RUN))
    page.show_dry_run(dry_run(FIT))
    sentence = "Fits with micro-batch 4 · about 31\u00a0samples/s · 0.4\u00a0% of the swarm"
    assert sentence in page.offer.needs.text.splitlines()
    page.show_session(search(RUN))  # how fast the others are is not known
    assert "Fits with micro-batch 4 · about 31\u00a0samples/s" in page.offer.needs.text.splitlines()


def test_traffic_is_told_per_hour_and_what_the_line_leaves_of_the_computing(page: ReviewPage, english: None) -> None:
    page.show_session(search(RUN))
    each_way = "Sends about 812.0 KB in an epoch and receives as much"  # of 101,504 parameters, 8 bytes each
    assert each_way in page.offer.needs.text and "an hour" not in page.offer.needs.text
    assert "Tell the settings how fast your line is" in page.offer.needs.text
    page.show_session(search(BUSY_RUN))  # an epoch of 32,768 takes 4.20 s
    page.show_settings(Settings(upload_mbits=1.0, download_mbits=4.0))  # 6.50 s + 1.62 s
    told = f"{each_way} · about 360.0 MB an hour each way · a line of 1/4 Mbit/s leaves 52 % of the time for computing"
    assert told in page.offer.needs.text.splitlines()


def test_a_download_limit_makes_the_first_download_longer(page: ReviewPage, english: None) -> None:
    page.show_session(search(RUN))
    page.show_settings(Settings(download_mbits=8.0))
    before = next(line for line in page.offer.needs.text.splitlines() if line.startswith("Downloads"))
    page.show_settings(Settings(download_mbits=8.0, availability=AvailabilityRules(attended_download_rate=10_000)))
    after = next(line for line in page.offer.needs.text.splitlines() if line.startswith("Downloads"))
    assert before.endswith("s at 8 Mbit/s.") and after.endswith("at 0.1 Mbit/s.") and "min" in after


def test_a_line_that_nobody_has_typed_is_as_it_was_last_measured_here(page: ReviewPage, english: None) -> None:
    measured = LineMeasured(direction="upload", bits_per_second=1e6, at=1.8e9)
    page.show_session(replace(search(BUSY_RUN), upload=measured))
    assert (
        "the upload last measured here, 1 Mbit/s, leaves at least 32 % of the time for computing"
        in page.offer.needs.text
    )
    assert "Tell the settings" not in page.offer.needs.text
    received = LineMeasured(direction="download", bits_per_second=4e6, at=1.8e9)
    page.show_session(replace(search(BUSY_RUN), upload=measured, download=received))
    assert "a line of 1/4 Mbit/s, as last measured here, leaves at least 52 %" in page.offer.needs.text
    page.show_session(replace(search(BUSY_RUN), upload=measured))
    page.show_settings(Settings(upload_mbits=4.0))
    assert "an upload of 4 Mbit/s leaves" in page.offer.needs.text


def test_what_does_not_fit_by_measure_is_not_the_default(page: ReviewPage) -> None:
    page.show_session(search(RUN))
    page.show_dry_run(dry_run(msgspec.structs.replace(FIT, micro_batch=0, samples_per_second=None)))
    assert "no memory for even one sample" in page.offer.needs.text
    assert page.bar.start.isEnabled() and not page.bar.start.isDefault()


def test_what_cannot_be_measured_may_be_started(page: ReviewPage) -> None:
    page.show_session(search(RUN))
    page.show_dry_run(dry_run(Failed(problem=ErrorKind.FIT_UNKNOWN.key)))
    assert "could not be measured" in page.offer.needs.text and page.bar.start.isDefault()
