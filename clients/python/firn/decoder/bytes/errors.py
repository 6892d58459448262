"""What a decoder can say about a package that it does not decode."""

from typing import NoReturn


class DamagedPackage(Exception):
    """The bytes break a rule of the format: nothing decoded from them may be used."""


class UnsupportedFormat(Exception):
    """A version, mode or flag that the documents do not describe."""


def fail(sentence: str) -> NoReturn:
    """Raises DamagedPackage with `sentence`."""
    raise DamagedPackage(sentence)


def check(condition: bool, sentence: str) -> None:
    """Raises DamagedPackage with `sentence` unless `condition` holds."""
    if not condition:
        raise DamagedPackage(sentence)
