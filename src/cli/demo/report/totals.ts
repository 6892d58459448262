import type { DemoRow } from './demo-row.ts';
import { lineageLag, type LineageLag } from './lineage-lag.ts';
import { lineageRows, type RunLineage } from './lineage-rows.ts';

/** The store's bytes by purpose: `stored` of `GET /v1/usage`. */
export interface StoredParts {
  readonly packageBytes: number;
  readonly stagedBytes: number;
  readonly rawBytes: number;
  readonly hubBytes: number;
  readonly evalSetBytes: number;
  readonly hiddenBytes: number;
  readonly pendingDeletionBytes: number;
}

/**
 * Ratios compare `rawBytes`, the uploads of the final lineage, with different stored sizes
 * (docs/decisions/0035-what-the-demo-counts.md).
 */
export interface Totals {
  /** Checkpoints of the final lineage, each step once: all those that the resumed run was trained through. */
  readonly checkpoints: number;
  readonly rawBytes: number;
  /** Bytes stored for these checkpoints alone: their packages, and files stored raw. */
  readonly storedBytes: number;
  /** `rawBytes` divided by `storedBytes`. */
  readonly ratio: number;
  /** Pushed steps outside the final lineage: the crash lost them. */
  readonly abandoned: { readonly checkpoints: number; readonly storedBytes: number };
  readonly everything: EverythingStored;
  /** Lag of the final lineage's rows that have one; absent if the last row has none. */
  readonly asGoodAs?: LineageLag;
  /** Over every push, finite values only. */
  readonly worstDegradation: Readonly<Record<string, number>>;
  /** Over every push. */
  readonly trials: number;
  readonly seconds: number;
}

export interface EverythingStored {
  /** All bytes in the store now. */
  readonly storedBytes: number;
  readonly ratio: number;
  /** The same without objects pending deletion, which are deleted after the hub's grace. */
  readonly keptBytes: number;
  readonly keptRatio: number;
  readonly parts: StoredParts;
}

export function totalsOf(rows: readonly DemoRow[], parts: StoredParts, last: RunLineage): Totals {
  const lineage = lineageRows(rows, last);
  const rawBytes = sumOf(lineage, (row) => row.rawBytes);
  const storedBytes = sumOf(lineage, (row) => row.storedBytes);
  const allBytes = Object.values(parts).reduce((sum: number, bytes: number) => sum + bytes, 0);
  const keptBytes = allBytes - parts.pendingDeletionBytes;
  const lag = lineageLag(lineage);
  return {
    checkpoints: lineage.length,
    rawBytes,
    storedBytes,
    ratio: rawBytes / storedBytes,
    abandoned: {
      checkpoints: rows.length - lineage.length,
      storedBytes: sumOf(rows, (row) => row.storedBytes) - storedBytes,
    },
    everything: {
      storedBytes: allBytes,
      ratio: rawBytes / allBytes,
      keptBytes,
      keptRatio: rawBytes / keptBytes,
      parts,
    },
    ...(lag && { asGoodAs: lag }),
    worstDegradation: worstOf(rows),
    trials: sumOf(rows, (row) => row.trials),
    seconds: sumOf(rows, (row) => row.seconds),
  };
}

function sumOf(rows: readonly DemoRow[], pick: (row: DemoRow) => number): number {
  return rows.reduce((total, row) => total + pick(row), 0);
}

function worstOf(rows: readonly DemoRow[]): Record<string, number> {
  const worst: Record<string, number> = {};
  for (const [name, value] of rows.flatMap((row) => Object.entries(row.degradation))) {
    if (value !== null) worst[name] = Math.max(worst[name] ?? -Infinity, value);
  }
  return worst;
}
