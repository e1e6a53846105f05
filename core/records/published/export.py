"""What an export of a published run asks of a worker, and the folder that it is written into."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from core.errors import ErrorKind, UserError
from core.files.atomic import storage_problem, sync_folder
from core.localizable import localized
from core.protocol.commands import MOST_CONTRIBUTORS, Evaluation, Export, WeightType
from core.records.published.runs import PublishedRun
from core.run.steering.data_change import signed_changes


def export_request(
    run: PublishedRun,
    home: Path,
    folder: Path,
    epoch: int | None = None,
    *,
    merge: bool = False,
    dtype: WeightType = "fp32",
) -> Export:
    """The command for the worker, which writes into that folder; ``home`` is where fetched files are kept."""
    contributors = run.contributors
    return Export(
        manifest=run.manifest,
        home=str(home),
        checkpoint=str(run.files.checkpoint_file.absolute()),
        folder=str(folder),
        epoch=epoch,
        merge=merge,
        dtype=dtype,
        evaluations=tuple(Evaluation(epoch=each.epoch, loss=each.loss) for each in run.scores),
        edits=run.control.edits,
        data_changes=signed_changes(run.manifest, run.control.data_changes),
        contributors=tuple(contributors[:MOST_CONTRIBUTORS]),
        further_contributors=max(0, len(contributors) - MOST_CONTRIBUTORS),
    )


@contextlib.contextmanager
def folder_made_whole(target: Path) -> Iterator[Path]:
    """A folder beside the target, which gets its name when the block ends well and vanishes when it does not.

    Raises UserError where there is something of that name, or the place cannot be written.
    """
    if target.exists():
        raise UserError(ErrorKind.USAGE, localized("%1 exists already and was left as it is.", target))
    try:
        beside = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part"))
    except OSError as error:
        raise storage_problem(error, target, ErrorKind.USAGE) from error
    try:
        yield beside
        for file in filter(Path.is_file, beside.rglob("*")):
            file.chmod(0o644)  # safetensors keeps what it writes for us alone
        beside.chmod(0o755)
        beside.rename(target)
        sync_folder(target.parent)
    except OSError as error:
        raise storage_problem(error, target, ErrorKind.USAGE) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
