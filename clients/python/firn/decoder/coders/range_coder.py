"""The adaptive binary range coder and the numbers and trees coded with it (format-blocks.md, sections 1, 2 and 8)."""

from ..bytes.errors import check

TABLE_MARGIN = 2048
BLOCK_MARGIN = 32

_COUNT_MAX = 126
_RATES = [65536 // (count + 2) for count in range(_COUNT_MAX + 1)]
_LENGTH_MAX = 20


class Model:
    """A probability that the next bit is 1, in 1/65536, and how many bits it has seen."""

    __slots__ = ("count", "one")

    def __init__(self) -> None:
        self.one = 32768
        self.count = 0

    def update(self, bit: int, margin: int) -> None:
        """Moves the probability towards `bit`."""
        target = 65536 - margin if bit else margin
        self.one += (target - self.one) * _RATES[self.count] >> 16
        self.count = min(self.count + 1, _COUNT_MAX)


class RangeDecoder:
    """Decodes one field; the models belong to the caller."""

    def __init__(self, field: bytes) -> None:
        self.field = field
        self.taken = 0
        self.range = 0xFFFFFFFF
        self.code = 0
        for _ in range(4):
            self._take()

    def _take(self) -> None:
        byte = self.field[self.taken] if self.taken < len(self.field) else 0
        self.code = (self.code << 8 | byte) & 0xFFFFFFFF
        self.taken += 1

    def _normalise(self) -> None:
        while self.range < 1 << 24:
            self.range <<= 8
            self._take()
        # Eight bytes past the end: no valid field is read that far, and what is left of a damaged one may be long.
        check(self.taken <= len(self.field) + 8, "a range coder field is cut off")

    def bit(self, model: Model, margin: int = TABLE_MARGIN) -> int:
        """A bit coded with `model`."""
        bound = (self.range >> 16) * model.one
        bit = int(self.code < bound)
        if bit:
            self.range = bound
        else:
            self.code -= bound
            self.range -= bound
        model.update(bit, margin)
        self._normalise()
        return bit

    def raw(self, count: int) -> int:
        """`count` bits without a model."""
        value = 0
        while count > 0:
            step = min(count, 12)
            count -= step
            self.range >>= step
            field = min(self.code // self.range, (1 << step) - 1)
            self.code -= field * self.range
            self._normalise()
            value = value << step | field
        return value

    def finish(self) -> None:
        """Checks that the field ends here, in the only way an encoder ends it."""
        past = self.taken - len(self.field)
        check(0 <= past <= 4, "a range coder field has a wrong length")
        check(past == 4 or self.field[-1] != 0, "a range coder field ends in a zero")
        last = int.from_bytes((self.field + bytes(4))[self.taken - 4 : self.taken], "big")
        low = last - self.code & 0xFFFFFFFF
        high = low + self.range - 1
        roundest = next(high >> zeros << zeros for zeros in range(33, -1, -1) if high >> zeros << zeros >= low)
        check(roundest & 0xFFFFFFFF == last, "a range coder field does not end as an encoder ends it")


class Number:
    """Adaptive Exp-Golomb numbers with models of their own."""

    def __init__(self) -> None:
        self.more = [Model() for _ in range(_LENGTH_MAX)]
        self.high = [[Model() for _ in range(4)] for _ in range(_LENGTH_MAX)]

    def decode(self, decoder: RangeDecoder) -> int:
        """The next number, 0 or above."""
        length = 0
        while decoder.bit(self.more[length]):
            length += 1
            check(length < _LENGTH_MAX, "a number in a range coder field is too large")
        value = 1
        modelled = min(length, 2)
        for _ in range(modelled):
            value = value << 1 | decoder.bit(self.high[length][value])
        return (value << length - modelled | decoder.raw(length - modelled)) - 1


class Tree:
    """A tree of bits, most significant first, without contexts."""

    def __init__(self, width: int, margin: int = TABLE_MARGIN) -> None:
        self.width = width
        self.margin = margin
        self.nodes = [Model() for _ in range(1 << width)]

    def decode(self, decoder: RangeDecoder) -> int:
        """The next number of `width` bits."""
        node = 1
        for _ in range(self.width):
            node = node << 1 | decoder.bit(self.nodes[node], self.margin)
        return node - (1 << self.width)


class ContextTree:
    """A tree of bits in a context: each bit has a general model and, for each context, one that starts from it."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.general = [Model() for _ in range(1 << width)]
        self.special: dict[tuple[int, int], Model] = {}

    def decode(self, decoder: RangeDecoder, context: int, width: int | None = None) -> int:
        """The next `width` bits, all of the tree's unless said otherwise."""
        bits = self.width if width is None else width
        node = 1
        for _ in range(bits):
            general = self.general[node]
            model = self.special.get((context, node))
            if model is None:
                model = self.special[context, node] = Model()
                model.one = general.one
                model.count = 1
            bit = decoder.bit(model, BLOCK_MARGIN)
            general.update(bit, BLOCK_MARGIN)
            node = node << 1 | bit
        return node - (1 << bits)
