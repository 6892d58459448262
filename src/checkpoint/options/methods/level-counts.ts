import { FirnError } from '../../firn-error.ts';

/** Levels fit one byte. */
const levelCountMax = 256;

export interface LevelCounts {
  readonly bins: number;
  readonly embeddingBins: number;
  readonly prunes: boolean;
  readonly protects: boolean;
}

/**
 * Pruned and protected weights take one level each in addition to the bins; embeddings are never pruned. Throws
 * `invalid-request` beyond 256.
 */
export function checkLevelCounts({ bins, embeddingBins, prunes, protects }: LevelCounts): void {
  if (bins + Number(prunes) + Number(protects) > levelCountMax) {
    throw new FirnError(
      'invalid-request',
      `Bins, with one level each for pruned and for protected weights, may be at most ${levelCountMax}.`,
    );
  }
  if (embeddingBins + Number(protects) > levelCountMax) {
    throw new FirnError(
      'invalid-request',
      `Embedding bins, with one level for protected weights, may be at most ${levelCountMax}.`,
    );
  }
}
