"""hivemind's RSA signatures on DHT records, validated in linear time."""

from __future__ import annotations

import re

from hivemind.dht.crypto import RSASignatureValidator
from hivemind.dht.validation import DHTRecord

MAX_SUBKEY_BYTES = 4096  # hivemind's own have a few hundred


class Signatures(RSASignatureValidator):
    """A validator that agrees with hivemind's about every record that a peer of hivemind writes.

    WORKAROUND H29: hivemind's patterns look through the rest of a record again for every ``[owner:`` in it, which
    keeps the whole DHT process busy for minutes where a stranger has written 100 kB of them; and it raises
    anything at all where the key is none, which ends a search.
    """

    _PUBLIC_KEY_RE = re.compile(rb"\[owner:([^\[\]\n]+)\]")
    _SIGNATURE_RE = re.compile(rb"\[signature:([^\[\]\n]+)\]")

    def validate(self, record: DHTRecord) -> bool:
        """Whether the record has no owner, or its owner's signature."""
        if record.subkey is not None and len(record.subkey) > MAX_SUBKEY_BYTES:
            return False
        try:
            return bool(super().validate(record))
        except Exception:
            return False
