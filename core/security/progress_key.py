"""The RSA key with which hivemind signs a peer's progress, kept so that a restart replaces its old record."""

from __future__ import annotations

from pathlib import Path

from core.localizable import localized
from core.security.key_file import damaged_key, load_or_create_key

_RSA_BITS = 2048


def load_or_create_progress_key(path: Path) -> bytes:
    """The RSA key with which hivemind signs this peer's progress, so that a restart replaces its old record.

    DER in the traditional OpenSSL form, as ``hivemind.utils.crypto.RSAPrivateKey.to_bytes()`` gives it and
    ``__setstate__`` takes it. Raises UserError as ``Identity.load_or_create`` does.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_der_private_key

    stored = load_or_create_key(path, _new_progress_key)
    try:
        key = load_der_private_key(stored, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise damaged_key(localized("%1 is not an RSA key.", path)) from error
    if not isinstance(key, RSAPrivateKey) or key.key_size != _RSA_BITS:
        raise damaged_key(localized("%1 is not an RSA key of %2 bits.", path, _RSA_BITS))
    return stored


def _new_progress_key() -> bytes:
    from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = generate_private_key(public_exponent=65537, key_size=_RSA_BITS)
    return key.private_bytes(Encoding.DER, PrivateFormat.TraditionalOpenSSL, NoEncryption())
