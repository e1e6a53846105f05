"""A SQLite file that never raises: damage is quarantined, locks are waited for, and the rest is reported.

Nothing here raises. Writes go through one connection and reads through another, so that whoever reads never
waits for a disk that is just being written.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.errors import ErrorKind, UserError
from core.files.atomic import quarantine, storage_problem
from core.localizable import localized

_log = logging.getLogger(__name__)
_READ_WAIT_SECONDS = 0.05
_WRITE_WAIT_SECONDS = 0.3
_DISK_WAIT_SECONDS = 3.0
_MOST_ASIDES = 3  # a disk that damages every new file must not be filled with them
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}

Rows = list[tuple[Any, ...]]
_Wrong = sqlite3.Error | UnicodeDecodeError  # the latter where the damage is in SQLite's own words
_WRONG = (sqlite3.Error, UnicodeDecodeError)


class Database:
    """``trouble`` says in words why nothing can be kept at the moment; every write tries again.

    ``aside`` is where a damaged file was put. ``version`` counts the schemas: ``migrate`` brings an older file up
    to it, in one transaction with the tables; a newer program's file is left alone.
    """

    def __init__(self, path: Path, schema: str, version: int, migrate: Callable[[sqlite3.Connection], None]) -> None:
        self.path = path
        self.trouble: UserError | None = None
        self.aside: Path | None = None
        self._schema = schema
        self._version = version
        self._migrate = migrate
        self._writer: sqlite3.Connection | None = None
        self._reader: sqlite3.Connection | None = None
        self._disk = threading.Lock()
        self._is_readable = False
        self._is_reader_stale = False
        self._asides = 0
        self._is_closed = False

    def write(self, work: Callable[[sqlite3.Connection], None]) -> bool:
        """Do the work in a transaction; whether all of it is in the file now, or else none of it."""
        if not self._disk.acquire(timeout=_DISK_WAIT_SECONDS):
            return False
        try:
            return not self._is_closed and (self._try(work) or (self._is_mended() and self._try(work)))
        finally:
            self._disk.release()

    def read(self, question: str, values: tuple[object, ...] = ()) -> Rows | None:
        """The rows that answer a query; ``None`` if the file cannot give them, until it has been written again.

        Call this, and ``close``, from one thread only.
        """
        if not self._is_readable or self._is_closed:
            return None
        try:
            return self._reading().execute(question, values).fetchall()
        except (*_WRONG, OverflowError) as error:
            _log.warning("%s cannot be read: %r", self.path, error)
            self._is_readable = False
            return None

    def close(self) -> None:
        """Close the file, unless its disk does not answer."""
        self._is_closed = True
        if self._disk.acquire(timeout=_DISK_WAIT_SECONDS):
            self._close_writer()
            self._disk.release()
        self._close_reader()

    def _reading(self) -> sqlite3.Connection:
        if self._is_reader_stale:
            self._is_reader_stale = False
            self._close_reader()
        if self._reader is None:
            self._reader = sqlite3.connect(self.path, timeout=_READ_WAIT_SECONDS, check_same_thread=False)
        return self._reader

    def _try(self, work: Callable[[sqlite3.Connection], None]) -> bool:
        try:
            self._writer = self._writer or self._connected()
            with _transaction(self._writer):
                work(self._writer)
        except (*_WRONG, OSError, UserError) as error:
            self._take_note_of(error)
            return False
        self.trouble = None
        self._is_readable = True
        return True

    def _connected(self) -> sqlite3.Connection:
        """The file, open and with its tables. Raises sqlite3.Error, OSError and UserError."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        connection = sqlite3.connect(
            self.path, timeout=_WRITE_WAIT_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            [[version]] = connection.execute("PRAGMA user_version").fetchall()
            if version > self._version:
                raise UserError(ErrorKind.HISTORY_NOT_KEPT, localized("%1 is of a newer Workerbee.", self.path))
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
            connection.execute("PRAGMA synchronous = NORMAL")
            if version < self._version:
                self._make_tables(connection, is_new=version == 0)
            return connection
        except BaseException:
            connection.close()
            raise

    def _make_tables(self, connection: sqlite3.Connection, *, is_new: bool) -> None:
        with _transaction(connection):
            for statement in self._schema.split(";"):
                connection.execute(statement)
            if not is_new:
                self._migrate(connection)
            connection.execute(f"PRAGMA user_version = {self._version}")
        self.path.chmod(0o600)

    def _take_note_of(self, error: _Wrong | OSError | UserError) -> None:
        trouble = _in_words(error, self.path)
        if self.trouble is None or self.trouble.problem is not trouble.problem:
            _log.warning("%s cannot be written: %r", self.path, error)
        self.trouble = trouble

    def _is_mended(self) -> bool:
        """Whether another attempt makes sense at once, since what was damaged has been put aside."""
        cause = self.trouble.__cause__ if self.trouble is not None else None
        is_damaged = isinstance(cause, _WRONG) and _code(cause) in _DAMAGED
        if self._asides == _MOST_ASIDES or not (is_damaged or self.path.is_dir()):
            return False
        self._close_writer()
        self._is_reader_stale = True
        try:
            self.aside = _put_aside(self.path)
        except OSError as error:
            self._take_note_of(error)
            return False
        self._asides += 1
        _log.warning("%s is damaged, and is now %s", self.path, self.aside.name)
        return True

    def _close_writer(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._writer = None

    def _close_reader(self) -> None:
        if self._reader is not None:
            self._reader.close()
        self._reader = None


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _put_aside(path: Path) -> Path:
    """The file and what SQLite keeps beside it."""
    aside = quarantine(path)
    for ending in ("-wal", "-shm"):
        beside = path.with_name(path.name + ending)
        if beside.exists():
            beside.rename(aside.with_name(aside.name + ending))
    return aside


def _code(error: _Wrong) -> int:
    if isinstance(error, UnicodeDecodeError):
        return sqlite3.SQLITE_CORRUPT
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def _in_words(error: _Wrong | OSError | UserError, path: Path) -> UserError:
    if isinstance(error, UserError):
        return error
    if isinstance(error, OSError):
        told = storage_problem(error, path, ErrorKind.HISTORY_NOT_KEPT)
    elif _code(error) in _BUSY:
        told = UserError(ErrorKind.HISTORY_NOT_KEPT, localized("%1 is held by another program.", path))
    elif _code(error) == sqlite3.SQLITE_FULL:
        told = UserError(ErrorKind.DISK_FULL, localized("%1: %2.", path, error))
    else:
        told = UserError(ErrorKind.HISTORY_NOT_KEPT, localized("%1: %2.", path, error))
    told.__cause__ = error
    return told
