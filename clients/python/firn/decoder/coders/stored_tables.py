"""Tables as an index stores them, read when a block needs them: by the C core or in Python."""

from functools import cached_property
from typing import TYPE_CHECKING

from .context_tables import ContextTables, read_context_tables
from .token_tables import LevelCode, read_token_tables

if TYPE_CHECKING:
    from ...core import Core, Handle


class StoredContextTables:
    """The context tables of a package whose residual tensors have `slot_count` slots."""

    def __init__(self, stored: bytes, slot_count: int) -> None:
        self.stored = stored
        self.slot_count = slot_count
        self.handle: Handle | None = None

    @cached_property
    def parsed(self) -> ContextTables:
        """The tables, read in Python."""
        return read_context_tables(self.stored, self.slot_count)

    def of_core(self, core: "Core") -> "Handle":
        """The tables, read by the core."""
        if self.handle is None:
            self.handle = core.context_tables(self.stored, self.slot_count)
        return self.handle


class StoredTokenTables:
    """The codes of a table set."""

    def __init__(self, stored: bytes) -> None:
        self.stored = stored
        self.handle: Handle | None = None

    @cached_property
    def parsed(self) -> list[LevelCode | None]:
        """The codes, read in Python."""
        return read_token_tables(self.stored)

    def of_core(self, core: "Core") -> "Handle":
        """The codes, read by the core."""
        if self.handle is None:
            self.handle = core.token_tables(self.stored)
        return self.handle
