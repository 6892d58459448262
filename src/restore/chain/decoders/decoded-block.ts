import type { LatticeState } from '../../../native/core.ts';
import type { DecodedLevels } from '../../../package/blocks/decode-block.ts';

/** A decoded block before dequantization. Shared through a cache: read only. */
export type DecodedBlock =
  | { readonly kind: 'levels'; readonly levels: DecodedLevels }
  | { readonly kind: 'residual'; readonly state: LatticeState }
  /** The elements themselves, in the dtype of the tensors. */
  | { readonly kind: 'exact'; readonly bytes: Uint8Array };

/** Bytes that a decoded block takes in the cache. */
export function memoryBytes(decoded: DecodedBlock): number {
  switch (decoded.kind) {
    case 'levels':
      return decoded.levels.levels.length + decoded.levels.protectedWords.byteLength;
    case 'residual':
      return decoded.state.values.byteLength + decoded.state.activity.byteLength;
    case 'exact':
      return decoded.bytes.length;
  }
}
