"""What several test files share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.client.restart_policy import RestartPolicy
from tests.support import hypothesis_profile as fuzz
from tests.support.client_harness import PROMPT, FrontEnd, Open, no_new_children
from tests.support.environment.fake_hub import Hub, local_hub
from tests.support.environment.network_namespaces import Internet, internet, why_not
from tests.support.forked.server import SHARING
from tests.support.real_peers import PeerGroup, peer_group

# As in a worker: by files in /dev/shm, torch aborts the process that comes to remove one which is gone already.
os.environ.update(SHARING)
# A worker keeps a niceness that was chosen for it. With its own it would wait for the tests that run beside it.
if os.name == "posix" and os.getpriority(os.PRIO_PROCESS, 0) == 0:
    os.nice(1)
pytest_plugins = ["tests.support.environment.small_disk", "tests.support.parallel_schedule"]
fuzz.load_profile()

_outcomes_in_networks: list[str] = []


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test that needs networks is skipped where none can be made."""
    if item.get_closest_marker("networks") and (reason := why_not()):
        pytest.skip(reason)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note what became of the tests that need networks."""
    if "networks" in report.keywords and (report.when == "call" or report.skipped):
        _outcomes_in_networks.append(report.outcome)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """The whole check fails if not a single one could be made: then nobody has tested any network."""
    is_part = hasattr(session.config, "workerinput")  # one of several processes, which do not see everything
    if "WORKERBEE_CI_RUN" in os.environ and not is_part and set(_outcomes_in_networks) == {"skipped"}:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        print(f"\nEvery test in a network of its own was skipped: {why_not()}.")


@pytest.fixture
def front_end(tmp_path: Path) -> Iterator[Open]:
    """Opens front ends whose workers play the given parts; afterwards no worker of theirs lives."""
    opened: list[FrontEnd] = []

    def open_one(*parts: str, restarts: RestartPolicy = PROMPT) -> FrontEnd:
        opened.append(FrontEnd(tmp_path / str(len(opened)), *parts, restarts=restarts))
        return opened[-1]

    with no_new_children():
        yield open_one
        for front in opened:
            front.client.close()


@pytest.fixture
def net() -> Iterator[Internet]:
    """A public segment, still empty."""
    with internet() as made:
        yield made


@pytest.fixture
def group(tmp_path: Path) -> Iterator[PeerGroup]:
    """Whoever is there for one test."""
    with peer_group(tmp_path) as everybody:
        yield everybody


@pytest.fixture
def hub() -> Iterator[Hub]:
    """A hub of its own, still empty."""
    with local_hub() as made:
        yield made
