"""The card tells what can be lent now, and what is not known is not made up."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.pages.join.device_card import DeviceCard
from core.hardware.device import DeviceUser
from core.hardware.unused_gpus import UnusedGpu
from tests.app.support.sample_sessions import BUSY_GPU, CPU, GPU, seen


@pytest.fixture
def card(qtbot: QtBot) -> DeviceCard:
    card = DeviceCard()
    qtbot.addWidget(card)
    card.show()
    return card


def test_before_the_first_look_it_says_that_it_looks(card: DeviceCard) -> None:
    assert card.text == "Looking for a GPU…"


def test_a_gpu_is_shown_with_what_the_driver_tells(card: DeviceCard) -> None:
    card.show_devices(seen(GPU, CPU), "auto")
    for words in ("RTX 3060", "9.0 GB of 12.0 GB", "550.54.14", "54 °C", "Nothing else is using it."):
        assert words in card.text
    assert not card.choice.isVisible()


def test_what_else_uses_it_is_named(card: DeviceCard) -> None:
    card.show_devices(seen(BUSY_GPU, CPU), "auto")
    assert "Also using it: firefox (310.0 MB), Xorg" in card.text


def test_where_the_driver_does_not_tell_that_nobody_uses_it_is_not_made_up(card: DeviceCard) -> None:
    card.show_devices(seen(replace(GPU, users=None), CPU), "auto")
    assert "does not tell here what else is using it" in card.text and "Nothing else" not in card.text


def test_of_many_users_the_greediest_are_named(card: DeviceCard) -> None:
    users = tuple(DeviceUser(pid, f"program {pid}", pid * 10**6) for pid in range(1, 9))
    card.show_devices(seen(replace(GPU, users=users), CPU), "auto")
    assert "program 8 (8.0 MB), program 7" in card.text
    assert "program 1 " not in card.text and "4 more" in card.text


def test_what_the_driver_does_not_tell_is_left_out(card: DeviceCard) -> None:
    silent = replace(
        GPU,
        name=None,
        memory_free_bytes=None,
        memory_total_bytes=None,
        driver=None,
        temperature_c=None,
    )
    card.show_devices(seen(silent, CPU), "auto")
    assert "GPU without a name" in card.text and "not known" in card.text
    assert "°C" not in card.text and "driver" not in card.text


def test_without_a_gpu_the_cpu_can_help_slowly(card: DeviceCard) -> None:
    card.show_devices(seen(CPU), "auto")
    assert "No NVIDIA GPU: the CPU can help, slowly." in card.text
    assert "Ryzen" in card.text and "23.0 GB of 32.0 GB" in card.text


def test_a_gpu_that_the_engine_does_not_use_is_told(card: DeviceCard) -> None:
    card.show_devices(replace(seen(CPU), idle=(GPU,)), "auto")
    assert "RTX 3060 stays idle: the training engine" in card.text.replace("\u200b", "")
    assert "Ryzen" in card.text and "No NVIDIA GPU" not in card.text


def test_a_gpu_without_an_engine_or_a_driver_is_told_with_what_can_be_done(card: DeviceCard) -> None:
    radeon = UnusedGpu("AMD", "AMD Radeon RX 7900 XTX", 25_753_026_560, "no engine")
    card.show_devices(replace(seen(CPU), unused=(radeon,)), "auto")
    assert "AMD Radeon RX 7900 XTX (25.8 GB): Workerbee has no engine for it yet, so the CPU trains." in card.text
    assert "Ryzen" in card.text and "No NVIDIA GPU" not in card.text
    geforce = UnusedGpu("NVIDIA", "NVIDIA GeForce RTX 3060", None, "driver blocked")
    card.show_devices(replace(seen(CPU), unused=(geforce,)), "auto")
    assert "RTX 3060 has no working driver" in card.text and "Secure Boot is on" in card.text


def test_beside_a_gpu_that_trains_one_without_an_engine_is_no_news(card: DeviceCard) -> None:
    radeon = UnusedGpu("AMD", "AMD Radeon RX 7900 XTX", None, "no engine")
    card.show_devices(replace(seen(GPU, CPU), unused=(radeon,)), "auto")
    assert "RTX 3060" in card.text and "Radeon" not in card.text


def test_a_driver_that_does_not_answer_is_told(card: DeviceCard) -> None:
    card.show_devices(seen(GPU, CPU), "auto")
    card.show_devices(seen(GPU, CPU, is_driver_answering=False), "auto")
    assert "does not answer" in card.text and "°C" not in card.text
    card.show_devices(seen(CPU, is_driver_answering=False), "auto")
    assert "does not answer" in card.text and "No NVIDIA GPU" not in card.text


def test_a_driver_that_appears_changes_the_card(card: DeviceCard) -> None:
    card.show_devices(seen(CPU), "auto")
    card.show_devices(seen(GPU, CPU), "auto")
    assert "RTX 3060" in card.text and "No NVIDIA GPU" not in card.text


def test_several_gpus_are_chosen_from_by_uuid(card: DeviceCard, qtbot: QtBot) -> None:
    card.show_devices(seen(GPU, BUSY_GPU, CPU), BUSY_GPU.uuid or "")
    assert card.choice.isVisible() and card.choice.currentData() == BUSY_GPU.uuid
    assert "100.0 MB of 12.0 GB" in card.text
    with qtbot.waitSignal(card.device_chosen) as chosen:
        card.choice.activated.emit(1)
    assert chosen.args == [GPU.uuid]


def test_a_chosen_number_means_the_gpu_that_has_it(card: DeviceCard) -> None:
    card.show_devices(seen(GPU, BUSY_GPU, CPU), "cuda:1")
    assert card.choice.currentData() == BUSY_GPU.uuid


def test_a_chosen_gpu_that_is_gone_is_missed_and_nothing_else_is_taken(card: DeviceCard) -> None:
    card.show_devices(seen(GPU, CPU), "GPU-gone")
    assert "is not there now" in card.text and "RTX" not in card.text
    assert card.choice.isVisible() and "GPU-gone" in card.choice.currentText()


def test_a_chosen_gpu_that_a_newer_engine_does_not_use_is_not_said_to_be_unplugged(card: DeviceCard) -> None:
    card.show_devices(replace(seen(CPU), idle=(GPU,)), GPU.uuid or "")
    assert "none for" in card.text and "RTX 3060" in card.text.replace("\u200b", "")
    assert "Choose another device." in card.text and "not there" not in card.text
    assert "Ryzen" not in card.text


def test_a_chosen_cpu_is_said_to_be_a_choice(card: DeviceCard) -> None:
    card.show_devices(seen(GPU, CPU), "cpu")
    assert "You chose the CPU" in card.text and card.choice.isVisible()


def test_looking_again_leaves_an_open_list_alone(card: DeviceCard) -> None:
    card.show_devices(seen(GPU, BUSY_GPU, CPU), "auto")
    model = card.choice.model()
    changed: list[object] = []
    model.modelReset.connect(lambda: changed.append(None))
    model.rowsRemoved.connect(lambda: changed.append(None))
    card.show_devices(seen(replace(GPU, temperature_c=70), BUSY_GPU, CPU), "auto")
    assert changed == []
