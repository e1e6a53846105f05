"""The pictures of README and documents, taken anew of a real run with several peers on real desktops.

python -m tests.support.pictures [FOLDER]

Beside those, `build/pictures` (or `every-page` in FOLDER) gets each page in its other looks, for somebody to look at:
dark, German, and in 800 x 600.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from core.files.folders import Folders
from tests.support.checkout import ROOT
from tests.support.environment.x11_desktop import Desktop
from tests.support.pictures.organiser import (
    RUN_ID,
    Organiser,
    give_for_weeks,
    published_with_volunteers,
    workerbee,
    write_list,
)
from tests.support.pictures.photographer import Places
from tests.support.pictures.volunteer import Volunteer, take_one_device, take_two_devices
from tests.support.real_peers import peer_group


def main(words: Sequence[str]) -> int:
    """Take all of them."""
    given = Path(words[0]).absolute() if words else None
    shown = given or ROOT / "resources" / "pictures"
    places = Places(shown, given / "every-page" if given else ROOT / "build" / "pictures")
    with tempfile.TemporaryDirectory(prefix="ada-") as name, peer_group(Path(name)) as everybody:
        home = Path(name)
        give_for_weeks(Folders.below(home / "organiser"))
        write_list(home / "university", home / "runs.toml")
        run = published_with_volunteers(everybody)
        with Desktop(home / "office") as office, Desktop(home / "desktop") as desktop:
            organiser = Organiser(office, places, home / "organiser")
            organiser.watch()
            volunteer = take_one_device(desktop, run, places, home)
            organiser.take_fleet()
            organiser.take_export(home / "adder-model")
            take_steered(volunteer, home / "organiser")
            volunteer.take_paused(home)
            volunteer.quit()
            take_two_devices(desktop, run, places, home)
            organiser.take_contributions()
            organiser.take_report()
            organiser.take_list(home / "runs.toml")
            organiser.quit()
    return 0


def take_steered(volunteer: Volunteer, home: Path) -> None:
    """What a volunteer sees of a pause of the whole run, and of the organiser's words."""
    workerbee(home, "steer", RUN_ID, "notice", "Back at noon.")
    workerbee(home, "steer", RUN_ID, "pause", "The data moves house.")
    volunteer.choose(order="paused")
    volunteer.choose()
    volunteer.take("steered")
    volunteer.look("steered")
    workerbee(home, "steer", RUN_ID, "notice")
    workerbee(home, "steer", RUN_ID, "resume")
    volunteer.choose(order="running")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
