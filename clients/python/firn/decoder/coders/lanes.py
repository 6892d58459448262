"""A stream of tokens in interleaved rANS lanes (format-blocks.md, section 12)."""

import numpy as np

from ..bytes.byte_reader import ByteReader
from .context_tables import Code
from ..bytes.errors import check

_STATE_MIN = 1 << 16


class LaneStream:
    """The tokens of `body`; `state_bytes` is the size of the state of a single lane."""

    def __init__(self, body: bytes, lane_count: int, state_bytes: int) -> None:
        reader = ByteReader(body)
        self.lanes = lane_count
        self.main_count = reader.varint(1 << 32) if lane_count > 1 else 0
        self.states = [reader.unsigned(4 if lane_count > 1 else state_bytes) for _ in range(lane_count)]
        check(reader.left % 2 == 0, "a stream ends in half a word")
        self.words: list[int] = np.frombuffer(reader.rest(), "<u2").tolist()
        self.used = 0
        self.token_index = 0
        if lane_count > 1:
            check(min(self.states) >= _STATE_MIN, "a lane starts with a state that is too small")
        else:
            state = self.states[0]
            check(state_bytes == 1 or state >> 8 * (state_bytes - 1) > 0, "a state has more bytes than it needs")
            check(state >= _STATE_MIN or not self.words, "a state is too small")
        self._begin_tail_if_due()

    def _begin_tail_if_due(self) -> None:
        """Turns to the words of the tail, which are in the states of the other lanes."""
        if self.lanes == 1 or self.token_index != self.main_count:
            return
        check(self.used == len(self.words), "a stream has unread words")
        self.words = [state - _STATE_MIN for state in self.states[:0:-1]]
        check(all(0 <= word < _STATE_MIN for word in self.words), "a lane ends in a wrong state")
        self.used = 0

    def next(self, code: Code) -> int:
        """The next token, coded with `code`."""
        in_main = self.token_index < self.main_count
        lane = self.token_index % self.lanes if in_main else 0
        x = self.states[lane]
        slot = x & 0xFFFF
        token = code.tokens[slot]
        x = code.shares[token] * (x >> 16) + slot - code.starts[token]
        if x < _STATE_MIN:
            if self.used < len(self.words):
                x = x << 16 | self.words[self.used]
                self.used += 1
            else:
                check(not in_main, "a stream is cut off")
        self.states[lane] = x
        self.token_index += 1
        if in_main:
            self._begin_tail_if_due()
        return token

    def finish(self) -> None:
        """Checks that the stream ends here."""
        check(self.lanes == 1 or self.token_index > self.main_count, "a stream has no tail")
        check(self.used == len(self.words), "a stream has unread words")
        check(self.states[0] == 1, "a stream ends in a wrong state")
