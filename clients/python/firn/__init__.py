"""Pulls checkpoints from a Firn hub in compressed form and rebuilds their files."""

from .errors import DamagedPackage, FirnError, HubError, HubRefused, UnsafeAnswer, UnsupportedFormat, WrongBytes
from .pulling import Hub, PulledDelta, pull_delta, snapshot_download
from .unpacking import UnpackedFile, unpack

__all__ = [
    "DamagedPackage",
    "FirnError",
    "Hub",
    "HubError",
    "HubRefused",
    "PulledDelta",
    "UnpackedFile",
    "UnsafeAnswer",
    "UnsupportedFormat",
    "WrongBytes",
    "pull_delta",
    "snapshot_download",
    "unpack",
]
