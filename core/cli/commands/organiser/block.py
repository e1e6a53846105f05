"""`block`: whom the peers of a run that was published here have nothing to do with, for some time."""

from __future__ import annotations

import time

from core.cli.output.json_lines import print_object
from core.cli.parser.organiser.peer_arguments import BlockPeer
from core.cli.runner.displays import stream_for_people
from core.errors import ErrorKind, UserError
from core.files.folders import DataFolder, Folders
from core.files.json_file import JsonFile
from core.records.published.runs import PublishedRun, find_published_run, published_runs
from core.run.block_list import Block, BlockList
from core.security.peer_id import decode_peer_id
from core.security.sanitize import sanitize_line
from core.texts import figures


def block(command: BlockPeer, folders: Folders) -> int:
    """Write the list, which the process that publishes the run then signs and publishes; print who is on it."""
    run = _chosen_run(command.run_id, folders.contents)
    run_id, file = run.manifest.run.id, JsonFile[BlockList](run.files.block_list_file, BlockList)
    now = time.time()
    blocks = file.read() or BlockList(run_id=run_id)
    was_blocked = command.peer_id in blocks.at(now)
    if command.peer_id is not None:
        blocks = _changed(blocks, command.peer_id, now + command.seconds, now)
        file.write(blocks)
    current = [each for each in blocks.blocks if each.until > now]
    if command.json:
        print_object("blocks", run=run_id, blocks=[{"peer": each.peer_id, "until": each.until} for each in current])
    _print(run_id, current, command, was_blocked)
    return 0


def _chosen_run(asked: str | None, data: DataFolder) -> PublishedRun:
    """The run that was asked for, or the only one; raises UserError."""
    if asked is not None:
        return find_published_run(asked, data)
    runs = published_runs(data)
    if not runs:
        raise UserError(ErrorKind.USAGE, "No run was published from here.")
    if len(runs) > 1:
        names = ", ".join(sanitize_line(each.manifest.run.id) for each in runs)
        raise UserError(
            ErrorKind.USAGE, f"Several runs were published from here: {names}. Say which one with --run ID."
        )
    return runs[0]


def _changed(blocks: BlockList, peer_id: str, until: float, now: float) -> BlockList:
    """The list with that peer on it until then, or without it; raises UserError."""
    try:
        decode_peer_id(peer_id)
    except ValueError as error:
        raise UserError(ErrorKind.USAGE, f"The peer id {error}.") from error
    try:
        return blocks.with_block(Block(peer_id=peer_id, until=until), now)
    except ValueError as error:
        raise UserError(ErrorKind.USAGE, f"{str(error).capitalize()}.") from error


def _print(run_id: str, current: list[Block], command: BlockPeer, was_blocked: bool) -> None:
    stream = stream_for_people(command.json)
    name = sanitize_line(run_id)
    if command.peer_id is not None and not command.seconds:
        print(f"{command.peer_id} {'is no longer' if was_blocked else 'was not'} blocked from {name}.", file=stream)
    if not current:
        print(f"Nobody is blocked from {name}.", file=stream)
    for each in current:
        print(f"{each.peer_id} is blocked from {name} until {figures.clock(each.until)}.", file=stream)
    if command.peer_id is not None:
        print("All peers obey within a minute while the run is published.", file=stream)
