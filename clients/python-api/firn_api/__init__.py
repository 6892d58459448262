"""The API of a Firn hub: push checkpoints, wait for them, pull them back, and every operation besides."""

from .hub import CheckpointFailed, Hub, WrongBytes
from .operations import Operations
from .transport import HubRefused

__all__ = ["CheckpointFailed", "Hub", "HubRefused", "Operations", "WrongBytes"]
