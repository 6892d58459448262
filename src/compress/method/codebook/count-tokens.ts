import { dtypeBytes } from '../../../checkpoint/dtype.ts';
import type { LevelFindings, NativeCore, TokenCounts, TokenTables } from '../../../native/core.ts';
import type { QuantizedGroup } from '../../plan/plan-codings.ts';

/** Token statistics of one coding of the level blocks (against an ancestor, or alone), and its size in bytes. */
export class TokenCensus {
  private readonly core: NativeCore;
  private readonly counts: readonly TokenCounts[];
  /** Bytes of the protected words, including the count in front of each block's words. */
  private wordBytes = 0;
  private moved = 0;
  private compared = 0;

  constructor(core: NativeCore, groups: readonly QuantizedGroup[]) {
    this.core = core;
    this.counts = groups.map(() => core.createTokenCounts());
  }

  /** The counts that the tokens of a group's blocks are added to. */
  countsOf(group: number): TokenCounts {
    return this.counts[group]!;
  }

  /** Notes what else was found in a block, of whose levels `compared` were coded against previous ones. */
  note({ protectedCount, moved }: LevelFindings, compared: number): void {
    this.wordBytes += varintBytes(protectedCount) + protectedCount * Uint16Array.BYTES_PER_ELEMENT;
    this.compared += compared;
    this.moved += moved;
  }

  /** Share of compared weights whose level changed; undefined when nothing was compared. */
  get migration(): number | undefined {
    return this.compared === 0 ? undefined : this.moved / this.compared;
  }

  /** The cheaper of one table set per group and one for all. */
  tables(): ChosenTables {
    const pooledCounts = this.core.createTokenCounts();
    for (const count of this.counts) pooledCounts.merge(count);
    const separate = this.priced(
      this.counts,
      this.counts.map((_, group) => group),
    );
    const pooled = this.priced(
      [pooledCounts],
      this.counts.map(() => 0),
    );
    return bytesOf(pooled) < bytesOf(separate) ? pooled : separate;
  }

  private priced(counts: readonly TokenCounts[], setOfGroup: readonly number[]): ChosenTables {
    const sets = counts.map((count) => count.build());
    return {
      sets,
      setOfGroup,
      tableBytes: sum(sets.map((tables) => tables.serialize().length)),
      payloadBytes: sum(counts.map((count) => count.payloadBits())) / 8 + this.wordBytes,
    };
  }
}

export interface ChosenTables {
  readonly sets: readonly TokenTables[];
  /** By codebook number. */
  readonly setOfGroup: readonly number[];
  /** Bytes of the serialized sets. */
  readonly tableBytes: number;
  /**
   * Bytes of tokens, protected words and their counts. May be a fraction, because the padding bits of each block's last
   * byte are left out.
   */
  readonly payloadBytes: number;
}

export function bytesOf({ tableBytes, payloadBytes }: Pick<ChosenTables, 'tableBytes' | 'payloadBytes'>): number {
  return tableBytes + payloadBytes;
}

/** Bytes of the codebooks in a package. */
export function codebookBytes(
  groups: readonly { readonly group: QuantizedGroup; readonly levelCount: number }[],
): number {
  return sum(groups.map(({ group, levelCount }) => levelCount * dtypeBytes[group.dtype]));
}

/** Length of an unsigned LEB128 integer (docs/format.md). */
function varintBytes(value: number): number {
  return value < 0x80 ? 1 : 1 + varintBytes(Math.floor(value / 0x80));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
