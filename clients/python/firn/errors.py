"""What can go wrong, each with one sentence for people."""

from .decoder.bytes.errors import DamagedPackage, UnsupportedFormat

__all__ = ["DamagedPackage", "FirnError", "HubError", "HubRefused", "UnsafeAnswer", "UnsupportedFormat", "WrongBytes"]


class FirnError(Exception):
    """All errors of this package but those of the operating system, and of damaged packages given to unpack()."""


class HubError(FirnError):
    """The hub cannot be reached, or answers in a way that repeating does not help."""


class HubRefused(HubError):
    """The hub answered with an error; `status` is that of HTTP, `code` the hub's own word for it."""

    def __init__(self, status: int, code: str, sentence: str) -> None:
        super().__init__(f"{sentence} (HTTP {status}{', ' + code if code else ''})")
        self.status = status
        self.code = code


class UnsafeAnswer(FirnError):
    """
    The hub's answer breaks a rule that protects this machine: a path that leaves the folder, or a size that is not
    true.
    """


class WrongBytes(FirnError):
    """Bytes do not have the digest that names them."""
