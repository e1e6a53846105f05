"""A peer of hivemind's own that was not invited: ``train FOLDER ADDRESS``. It asks for all that peers give each other.

It downloads the state of whoever offers one, reports progress, claims to be where the others are, and looks for groups.
What comes of it is said in lines of JSON.
"""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path

from tests.integration.foreign.hivemind_scripts import Life, introduce, join_dht, make_optimizer, run_in, say, steps

DOWNLOADS = 3


def main(folder: Path, address: str) -> None:
    """Until SIGTERM."""
    recipe, numbers = run_in(folder)
    dht = join_dht(address)
    optimizer = make_optimizer(dht, recipe.model, numbers)
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    introduce(dht, optimizer)
    for _ in range(DOWNLOADS):
        loaded = optimizer.state_averager.load_state_from_peers(timeout=30.0)
        say(state=loaded is not None or optimizer.state_averager.local_epoch > 0)
    optimizer._should_load_state_from_peers = lambda: False  # it would ask for ever
    for _ in steps(Life(recipe, optimizer, numbers["collaboration"]["batch_size_per_step"], ended)):
        optimizer.state_averager.local_epoch = optimizer.tracker.global_epoch
        say(sees=optimizer.tracker.global_progress.num_peers)
    optimizer.shutdown()
    dht.shutdown()


if __name__ == "__main__":
    main(Path(sys.argv[2]), sys.argv[3])
