"""What a conditional find adds to hivemind's ``FindRequest`` and ``FindResponse``, in a field that plain peers ignore.

Protobuf's readers pass over fields that they do not know. Field ``FIELD`` is there once for each key of the request. In
a request it holds a salt and three digests of each record that who asks knows: of its subkey, of subkey and value, and
of when it expires. In a response it says which of them the holder holds, which it holds with another time, and has the
records that are none of them, where the holder would have sent all records and its neighbours. A digest that fits by
chance hides a change from one look: the next has another salt.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet
from hivemind.dht.storage import DictionaryDHTValue
from hivemind.utils import MSGPackSerializer

FIELD = 1001
MOST_KNOWN = 2_000  # records that are told; a holder has room for no more of a usual size
MOST_RECORDS = 10_000  # of one answer
MAX_ANSWER_BYTES = 2**22  # once decompressed; a key has half of it at most where its holder has bounds
SALT_BYTES, DIGEST_BYTES, TIME_BYTES = 8, 4, 2
FAST_LEVEL = 1  # of zlib, which others make shorter by less than a hundredth: most are signatures and keys
_BYTES_OF_ONE = 2 * DIGEST_BYTES + TIME_BYTES
_LENGTH_DELIMITED = 2  # protobuf's wire type
SIGNATURE = b"[signature:"  # with which hivemind's begin, at the end of a value, in base64
_PLAIN, _PACKED = b"\0", b"\1"


class Record(NamedTuple):
    """One value of a dictionary in the DHT, as it crosses the wire; it expires in seconds since 1970."""

    subkey: bytes
    value: bytes
    expiration_time: float


_Named = tuple[int | bytes, float, bytes | None]
"""A record that is not kept as it is: its subkey or place, when it expires, and its value unless that is known."""


class Digests(NamedTuple):
    """Of one record: its subkey, its subkey and value, and when it expires."""

    subkey: bytes
    value: bytes
    time: bytes

    @classmethod
    def of(cls, record: Record, salt: bytes) -> Digests:
        """The digests of that record under that salt."""
        value = blake2b(len(record.subkey).to_bytes(4), digest_size=DIGEST_BYTES, key=salt)
        value.update(record.subkey)
        value.update(record.value)
        time = blake2b(struct.pack(">d", record.expiration_time), digest_size=TIME_BYTES, key=salt)
        return cls(_subkey_digest(record.subkey, salt), value.digest(), time.digest())


@dataclass(frozen=True)
class Known:
    """The digests of what somebody knows of a key, in the order in which they are told, under that salt."""

    salt: bytes = b""
    digests: tuple[Digests, ...] = ()

    @classmethod
    def of(cls, records: Sequence[Record], salt: bytes) -> Known:
        """The digests of these records."""
        return cls(salt, tuple(Digests.of(each, salt) for each in records)) if records else cls()

    @classmethod
    def parse(cls, data: bytes) -> Known:
        """The digests that a stranger tells; raises ValueError for what nobody tells."""
        count, rest = divmod(max(0, len(data) - SALT_BYTES), _BYTES_OF_ONE)
        if data and (rest or not 0 < count <= MOST_KNOWN):
            raise ValueError(f"{len(data)} bytes are no digests")
        parts = (data[at : at + _BYTES_OF_ONE] for at in range(SALT_BYTES, len(data), _BYTES_OF_ONE))
        split = DIGEST_BYTES, 2 * DIGEST_BYTES
        digests = (Digests(each[: split[0]], each[split[0] : split[1]], each[split[1] :]) for each in parts)
        return cls(data[:SALT_BYTES], tuple(digests))

    def encode(self) -> bytes:
        """What is sent of them; nothing where nothing is known."""
        return self.salt + b"".join(part for each in self.digests for part in each)

    def answer(self, held: Sequence[Record]) -> bytes:
        """What somebody who holds these records answers; nothing where there are none."""
        places = {each.value: place for place, each in enumerate(self.digests)}
        kept, renewed, new = bytearray((len(self.digests) + 7) // 8), list[_Named](), list[Record]()
        for record in held:
            digests = Digests.of(record, self.salt)
            place = places.get(digests.value)
            if place is None:
                new.append(record)
            elif self.digests[place].time == digests.time:
                kept[place // 8] |= 1 << place % 8
            else:
                renewed.append((place, record.expiration_time, None))
        return _Answer.of(bytes(kept), [*renewed, *self._named(new, held)]).packed() if held else b""

    def _named(self, new: Sequence[Record], held: Sequence[Record]) -> list[_Named]:
        """Each new record, with the place of its subkey among the known ones, or its subkey where it is not known."""
        digests = {subkey: _subkey_digest(subkey, self.salt) for subkey, *_ in held}
        is_one = len(set(digests.values())) == len(digests)  # no two of ours that look the same to who asks
        places = {each.subkey: place for place, each in enumerate(self.digests)} if is_one else {}
        return [(places.get(digests[each.subkey], each.subkey), each.expiration_time, each.value) for each in new]


def read_answer(data: bytes, known: Sequence[Record]) -> list[Record]:
    """All that a holder holds by its answer to who has told these records; raises ValueError for what is no answer."""
    if not data:
        return []
    told = _Answer.parse(data)
    bits = int.from_bytes(told.kept, "little")
    if len(told.kept) != (len(known) + 7) // 8 or bits >> len(known):
        raise ValueError("a holder keeps what nobody has told it")
    kept = [record for place, record in enumerate(known) if bits >> place & 1]
    return kept + [_record_in(known, *named) for named in told.named()]


def _record_in(known: Sequence[Record], subkey: int | bytes, expiration_time: float, value: bytes | None) -> Record:
    """A record of an answer; what it does not have is that of the known one at the place."""
    if isinstance(subkey, bytes):
        if value is None:
            raise ValueError("a value is named that nobody has told")
        return Record(subkey, value, expiration_time)
    if not 0 <= subkey < len(known):
        raise ValueError("a subkey is named that nobody has told")
    there = known[subkey]
    return Record(there.subkey, there.value if value is None else value, expiration_time)


class _Answer(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """An answer with anything in it: which of the known records are held, one bit for each, and the columns of others.

    A subkey is named by its place among the known ones where it is one of them. Values come in two pieces: signatures,
    in base64, are packed apart from all else. Where there is no value, it is that of the known record at the place.
    """

    kept: bytes
    subkeys: list[int | bytes]
    expiration_times: list[float]
    heads: list[bytes | None]
    tails: list[bytes]

    @classmethod
    def of(cls, kept: bytes, named: Sequence[_Named]) -> _Answer:
        """The answer of who holds these and those of the known ones."""
        splits = [signature_start(value or b"") for *_, value in named]
        return cls(
            kept,
            [subkey for subkey, *_ in named],
            [expiration_time for _, expiration_time, _ in named],
            [None if value is None else value[:split] for (*_, value), split in zip(named, splits, strict=True)],
            [(value or b"")[split:] for (*_, value), split in zip(named, splits, strict=True)],
        )

    def named(self) -> Iterable[_Named]:
        """The records that are not simply kept."""
        values = (None if head is None else head + tail for head, tail in zip(self.heads, self.tails, strict=True))
        return zip(self.subkeys, self.expiration_times, values, strict=True)

    @classmethod
    def parse(cls, data: bytes) -> _Answer:
        """What a stranger answers; raises ValueError for what is no answer."""
        try:
            answer = msgspec.msgpack.decode(_unpacked(data), type=cls)
        except msgspec.MsgspecError as error:
            raise ValueError(str(error)) from None
        columns = {len(answer.subkeys), len(answer.expiration_times), len(answer.heads), len(answer.tails)}
        if len(columns) > 1 or len(answer.heads) > MOST_RECORDS or not all(map(math.isfinite, answer.expiration_times)):
            raise ValueError("an answer has no records that anybody could hold")
        return answer

    def packed(self) -> bytes:
        """The answer as bytes, compressed where that is shorter."""
        plain, last = msgspec.msgpack.encode(self), len(msgspec.msgpack.encode(self.tails))
        compressor = zlib.compressobj(FAST_LEVEL)
        pieces = compressor.compress(plain[:-last]), compressor.flush(zlib.Z_FULL_FLUSH)
        packed = b"".join((*pieces, compressor.compress(plain[-last:]), compressor.flush()))
        return _PACKED + packed if len(packed) < len(plain) else _PLAIN + plain


def attach(message: Message, parts: Iterable[bytes]) -> None:
    """Add these to a message, each in a field that is unknown to hivemind."""
    tag = _varint(FIELD << 3 | _LENGTH_DELIMITED)
    message.MergeFromString(b"".join(tag + _varint(len(part)) + part for part in parts))


def attached(message: Message) -> list[bytes]:
    """What somebody has added to a message that was received, as `attach` adds it."""
    fields: Any = UnknownFieldSet(message)
    return [each.data for each in fields if each.field_number == FIELD and each.wire_type == _LENGTH_DELIMITED]


def records_in(value: object) -> list[Record]:
    """The records of a dictionary of the DHT, with their subkeys encoded; none of anything else."""
    if not isinstance(value, DictionaryDHTValue):
        return []
    return [
        Record(MSGPackSerializer.dumps(subkey), item.value, float(item.expiration_time))
        for subkey, item in value.items()
        if isinstance(item.value, bytes) and isinstance(item.expiration_time, int | float)
    ][:MOST_RECORDS]


def _subkey_digest(subkey: bytes, salt: bytes) -> bytes:
    return blake2b(subkey, digest_size=DIGEST_BYTES, key=salt).digest()


def _unpacked(data: bytes) -> bytes:
    if data[:1] == _PLAIN:
        return data[1:]
    if data[:1] != _PACKED:
        raise ValueError("an answer is not packed as one")
    return decompressed(data[1:], MAX_ANSWER_BYTES)


def decompressed(packed: bytes, most_bytes: int, before: bytes = b"") -> bytes:
    """What zlib has packed, with the dictionary ``before``; raises ValueError where it is nothing, or longer."""
    decompressor = zlib.decompressobj(zdict=before)
    try:
        plain = decompressor.decompress(packed, most_bytes)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not decompressor.eof or decompressor.unused_data:
        raise ValueError("what was packed has no end, or is too long")
    return plain


def signature_start(value: bytes) -> int:
    """Where a value's signature begins; 0 where it has none."""
    return max(value.rfind(SIGNATURE), 0)


def _varint(number: int) -> bytes:
    """Protobuf's encoding of a number: seven bits a byte, those of the lowest value first."""
    sevens = [number >> shift & 127 for shift in range(0, max(1, number.bit_length()), 7)]
    return bytes([*(each | 128 for each in sevens[:-1]), sevens[-1]])
