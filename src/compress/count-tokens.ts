import { dtypeBytes } from '../checkpoint/dtype.ts';
import type { NativeCore, TokenCounts, TokenTables } from '../native/core.ts';
import type { LevelsToEncode } from '../package/encode-block.ts';
import type { QuantizedGroup } from './plan-codings.ts';

/** Token statistics of one coding of the level blocks (against an ancestor, or alone), and what they come to in bytes. */
export class TokenCensus {
  private readonly core: NativeCore;
  private readonly counts: readonly TokenCounts[];
  private protectedWords = 0;
  private moved = 0;
  private compared = 0;

  constructor(core: NativeCore, groups: readonly QuantizedGroup[]) {
    this.core = core;
    this.counts = groups.map(() => core.createTokenCounts());
  }

  async add(group: number, { levels, protectedWords, previous, modulus }: LevelsToEncode, signal?: AbortSignal): Promise<void> {
    this.protectedWords += protectedWords.length;
    if (previous !== undefined) {
      this.compared += levels.length;
      this.moved += countDifferent(levels, previous);
    }
    await this.counts[group]!.add({ current: levels, modulus, ...(previous === undefined ? {} : { previous }) }, signal);
  }

  /** Share of compared weights whose level changed; undefined when nothing was compared. */
  get migration(): number | undefined {
    return this.compared === 0 ? undefined : this.moved / this.compared;
  }

  /** The cheaper of one table set per group and one for all, with the bytes of tables, tokens, protected words and block counts. */
  tables(): ChosenTables {
    const separate = this.counts.map((count) => count.build());
    const pooledCounts = this.core.createTokenCounts();
    for (const count of this.counts) pooledCounts.merge(count);
    const pooled = pooledCounts.build();
    const separateBytes = sum(separate.map((tables) => tables.serialize().length)) + sum(this.counts.map((count) => count.payloadBits() / 8));
    const pooledBytes = pooled.serialize().length + pooledCounts.payloadBits() / 8;
    const wordBytes = 2 * this.protectedWords;
    return pooledBytes < separateBytes && this.counts.length > 1
      ? { sets: [pooled], setOfGroup: this.counts.map(() => 0), bytes: pooledBytes + wordBytes }
      : { sets: separate, setOfGroup: this.counts.map((_, group) => group), bytes: separateBytes + wordBytes };
  }
}

export interface ChosenTables {
  readonly sets: readonly TokenTables[];
  /** By codebook number. */
  readonly setOfGroup: readonly number[];
  readonly bytes: number;
}

/** Bytes of the codebooks in a package. */
export function codebookBytes(groups: readonly { readonly group: QuantizedGroup; readonly levelCount: number }[]): number {
  return sum(groups.map(({ group, levelCount }) => levelCount * dtypeBytes[group.dtype]));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function countDifferent(a: Uint8Array, b: Uint8Array): number {
  let different = 0;
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) different += 1;
  return different;
}
