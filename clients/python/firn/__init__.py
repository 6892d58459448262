"""Pulls checkpoints from a Firn hub in compressed form and rebuilds their files."""

from .errors import DamagedPackage, FirnError, HubError, HubRefused, UnsafeAnswer, UnsupportedFormat, WrongBytes
from .unpacking import UnpackedFile, unpack

__all__ = ["DamagedPackage", "FirnError", "HubError", "HubRefused", "UnpackedFile", "UnsafeAnswer", "UnsupportedFormat", "WrongBytes", "unpack"]
