"""The tables of context blocks and the map from rows to tables (format-blocks.md, section 11)."""

from dataclasses import dataclass

from ..bytes.errors import check
from .range_coder import BLOCK_MARGIN, Model, Number, RangeDecoder, Tree

SLOTS_MAX = 65_536

_SYMBOLS = 32
_TABLES_MAX = 255
_CONTEXTS_MAX = 64
_BACK_MAX = 32
_OCTAVES_MAX = 24
_SLOT_COUNT = 65_536
_EIGHTHS = (2147483648, 1969251188, 1805811301, 1655936265, 1518500250, 1392470869, 1276901417, 1170923762)


@dataclass(frozen=True)
class Code:
    """
    Shares of 65536 slots: token j has `shares[j]` of them from `starts[j]` on; `tokens` is the token of each slot.
    """

    starts: list[int]
    shares: list[int]
    tokens: list[int]


@dataclass(frozen=True)
class Table:
    """The three codes of a table; `values` is None with symbol 0 alone, `runs` unless it has symbol 0 and others."""

    symbols: Code
    values: Code | None
    runs: Code | None
    run_max: int


@dataclass(frozen=True)
class ContextTables:
    """Tables and, for each slot, the table numbers of its contexts (None: one table serves every row)."""

    tables: list[Table]
    rows: list[list[int]] | None

    def table_of(self, slot: int, context: int) -> int | None:
        """The number of a row's table, None when it has none."""
        if self.rows is None:
            return 0 if self.tables else None
        row = self.rows[slot]
        return row[context] if context < len(row) else None


def _share(weights: list[int], present: list[bool]) -> Code:
    total, present_count = sum(weights), sum(present)
    starts, tokens = [], []
    weight_before = present_before = 0
    for weight, here in zip(weights, present, strict=True):
        starts.append(weight_before * (_SLOT_COUNT - present_count) // total + present_before)
        weight_before += weight
        present_before += here
    ends = [*starts[1:], _SLOT_COUNT]
    shares = [end - start if here else 0 for start, end, here in zip(starts, ends, present, strict=True)]
    for token, share in enumerate(shares):
        tokens += [token] * share
    check(len(tokens) == _SLOT_COUNT, "the shares of a table do not add up")
    return Code(starts, shares, tokens)


def _run_weights(zero: int, total: int) -> list[int]:
    q = (zero << 32) // total
    left = [1 << 32]
    while True:
        left.append(left[-1] * q >> 32)
        if left[-1] <= 1 << 28 or len(left) > 255:
            break
    return [a - b for a, b in zip(left, left[1:], strict=False)] + [left[-1]]


def _make_table(drops: dict[int, int]) -> Table:
    """A table from its symbols' drops in eighths of an octave."""
    weights = [_EIGHTHS[drops[s] % 8] >> drops[s] // 8 if s in drops else 0 for s in range(_SYMBOLS)]
    present = [s in drops for s in range(_SYMBOLS)]
    others = any(present[1:])
    values = _share([0, *weights[1:]], [False, *present[1:]]) if others else None
    runs = None
    run_max = 0
    if present[0] and others:
        run_weights = _run_weights(weights[0], sum(weights))
        runs = _share(run_weights, [True] * len(run_weights))
        run_max = len(run_weights) - 1
    return Table(_share(weights, present), values, runs, run_max)


def _read_drops(decoder: RangeDecoder, table_count: int, limit: int) -> list[dict[int, int]]:
    """Each table's symbols with their drops in eighths of an octave."""
    precision_tree = Tree(2)
    has = [[Model() for _ in range(2)] for _ in range(3)]
    same, up = [Model(), Model()], [Model(), Model()]
    more = [Number(), Number()]
    found: list[dict[int, int]] = []
    for index in range(table_count):
        before = found[-1] if index > 0 else None
        unit = 8 >> precision_tree.decode(decoder)  # eighths in one step
        drop_max = _OCTAVES_MAX * 8 // unit
        drops: dict[int, int] = {}
        last: int | None = None
        for s in range(limit):
            a = 0 if before is None else 2 if s in before else 1
            if not decoder.bit(has[a][int(s - 1 in drops)]):
                continue
            f = int(before is not None and s in before)
            guess = drops[last] if last is not None else 0
            if before is not None and s in before:
                guess = before[s] + (guess - before[last] if last is not None and last in before else 0)
            guess = min(max(guess, 0) // unit, drop_max)
            drop = guess
            if not decoder.bit(same[f]):
                rising = guess == 0 or decoder.bit(up[f])
                distance = more[f].decode(decoder) + 1
                drop = guess + distance if rising else guess - distance
            check(0 <= drop <= drop_max, "a drop is out of range")
            drops[s] = drop * unit
            last = s
        check(0 in drops.values(), "a table has no likeliest symbol")
        found.append(drops)
    check(any(limit - 1 in drops for drops in found), "context tables announce a symbol that no table has")
    return found


def _read_map(decoder: RangeDecoder, table_count: int, slot_count: int) -> list[list[int]]:
    context_count = Number().decode(decoder) + 1
    check(context_count <= _CONTEXTS_MAX, "context tables have too many contexts")
    back_number = Number()
    same = [[Model() for _ in range(4)] for _ in range(2)]
    is_left = Model()
    table_tree = Tree((table_count - 1).bit_length())
    rows: list[list[int]] = []
    for slot in range(slot_count):
        back = back_number.decode(decoder) if slot > 0 else 0
        check(back <= min(slot, _BACK_MAX), "a slot refers too far back")
        row: list[int] = []
        differing = 0
        for c in range(context_count):
            left = row[c - 1] if c > 0 else 0
            reference = rows[slot - back][c] if back > 0 else left
            table = reference
            if not decoder.bit(same[int(back > 0)][min(differing, 3)], BLOCK_MARGIN):
                differing += 1
                if left != reference and decoder.bit(is_left, BLOCK_MARGIN):
                    table = left
                else:
                    table = table_tree.decode(decoder)
                    check(table < table_count and table not in (left, reference), "a row's table is not valid")
            row.append(table)
        rows.append(row)
    return rows


def read_context_tables(field: bytes, slot_count: int) -> ContextTables:
    """The tables of a package whose residual tensors have `slot_count` slots."""
    if not field:
        return ContextTables([], None)
    check(slot_count <= SLOTS_MAX, "context tables have too many slots")
    decoder = RangeDecoder(field)
    table_count = Number().decode(decoder) + 1
    check(table_count <= _TABLES_MAX, "there are too many context tables")
    limit = Number().decode(decoder) + 1
    check(limit <= _SYMBOLS, "context tables have too many symbols")
    tables = [_make_table(drops) for drops in _read_drops(decoder, table_count, limit)]
    rows = _read_map(decoder, table_count, slot_count) if table_count > 1 else None
    decoder.finish()
    return ContextTables(tables, rows)
