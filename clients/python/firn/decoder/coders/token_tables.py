"""The Huffman codes of level blocks (format-blocks.md, section 3)."""

from dataclasses import dataclass

from ..bytes.errors import check
from ..bytes.limits import BLOCK_ELEMENTS_MAX
from .range_coder import Model, Number, RangeDecoder

_LEVELS_MAX = 256
_CODE_BITS_MAX = 24

# A token is a value d, as (0, d), or a run of r elements, as (1, r): so they sort as canonical codes need it.
Token = tuple[int, int]


@dataclass(frozen=True)
class LevelCode:
    """The canonical code of one source level: from (bits, code) to token."""

    tokens: dict[tuple[int, int], Token]


class _TableReader:
    """Reads one field of token tables."""

    def __init__(self, field: bytes) -> None:
        self.decoder = RangeDecoder(field)
        self.run_count = Number()
        self.gaps: dict[int, Number] = {}
        self.has_value = [[Model() for _ in range(3)] for _ in range(3)]
        self.length_trees = [[Model() for _ in range(32)] for _ in range(3)]
        self.none = [Model() for _ in range(18)]
        self.up = [Model() for _ in range(18)]
        self.more = [[Model() for _ in range(_CODE_BITS_MAX + 1)] for _ in range(2)]

    def values(self, limit: int, before: set[int]) -> list[int]:
        """Which values of a level have a code, `before` being those of the level before it."""
        found: list[int] = []
        for d in range(limit):
            a = 2 if d == 0 else int(bool(found) and found[-1] == d - 1)
            b_count = (d in before) + (d + 1 in before)
            if self.decoder.bit(self.has_value[a][b_count]):
                found.append(d)
        check(len(found) > 0, "a level with a code has no values")
        return found

    def runs(self) -> list[int]:
        """Which run lengths of a level have a code, ascending."""
        found: list[int] = []
        last = last_but_one = 0
        previous = 1
        for _ in range(self.run_count.decode(self.decoder)):
            context = (last + 1).bit_length() + (last_but_one + 1).bit_length() - 2
            gap = self.gaps.setdefault(context, Number()).decode(self.decoder)
            previous += gap + 1
            check(previous <= BLOCK_ELEMENTS_MAX, "a run token is too long")
            found.append(previous)
            last, last_but_one = gap, last
        return found

    def tree_length(self, kind: int) -> int:
        """A code length on its own."""
        node = 1
        for _ in range(5):
            node = node << 1 | self.decoder.bit(self.length_trees[kind][node])
        return node - 32

    def length_step(self, context: int) -> int:
        """What a run's code length adds to that of the run before."""
        if self.decoder.bit(self.none[context]):
            return 0
        up = self.decoder.bit(self.up[context])
        size = 1
        while self.decoder.bit(self.more[up][size - 1]):
            size += 1
            check(size <= _CODE_BITS_MAX + 1, "a step of code lengths is too large")
        return size if up else -size

    def lengths(self, values: list[int], runs: list[int]) -> list[tuple[int, Token]]:
        """The code lengths of a level's tokens."""
        if len(values) + len(runs) == 1:
            return [(0, (0, values[0]))]
        found = [(self.tree_length(0 if d == 0 else 1), (0, d)) for d in values]
        sign_1 = sign_2 = 0
        length = longest = 0
        for i, run in enumerate(runs):
            if i == 0:
                length = self.tree_length(2)
            else:
                top = int(length >= longest)
                longest = max(longest, length)
                step = self.length_step((3 * sign_1 + sign_2) * 2 + top)
                length += step
                sign_1, sign_2 = 0 if step == 0 else 1 if step > 0 else 2, sign_1
            check(1 <= length <= _CODE_BITS_MAX, "a code length is out of range")
            found.append((length, (1, run)))
        check(all(1 <= size <= _CODE_BITS_MAX for size, _ in found), "a code length is out of range")
        return found


def _canonical(lengths: list[tuple[int, Token]]) -> LevelCode:
    check(sum(1 << _CODE_BITS_MAX - size for size, _ in lengths) == 1 << _CODE_BITS_MAX, "a code is not complete")
    tokens: dict[tuple[int, int], Token] = {}
    code = before = 0
    for size, token in sorted(lengths):
        code <<= size - before
        tokens[size, code] = token
        code += 1
        before = size
    return LevelCode(tokens)


def read_token_tables(field: bytes) -> list[LevelCode | None]:
    """The code of each source level that has one; levels past the end of the list have none."""
    if not field:
        return []
    reader = _TableReader(field)
    bit = reader.decoder.bit
    levels = Number().decode(reader.decoder) + 1
    limit = Number().decode(reader.decoder) + 1
    check(levels <= _LEVELS_MAX and limit <= _LEVELS_MAX, "token tables have too many levels")
    has_code = Model()
    before: set[int] = set()
    highest = -1
    codes: list[LevelCode | None] = []
    for level in range(levels):
        if level < levels - 1 and not bit(has_code):
            codes.append(None)
            continue
        values = reader.values(limit, before)
        before = set(values)
        highest = max(highest, values[-1])
        codes.append(_canonical(reader.lengths(values, reader.runs())))
    check(highest == limit - 1, "token tables announce a value that no level has")
    reader.decoder.finish()
    return codes
