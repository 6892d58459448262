import { stateEncodings, type StateEncoding } from '../../checkpoint/options/state-encoding.ts';
import { corruptPackage } from '../corrupt-package.ts';
import type { CodingRule } from './coding-rule.ts';

/**
 * A tensor of optimizer state, F32 and lossy. First moments refer to the tensor of their second moments by its number
 * in the file. From version 4 on.
 */
export type StateCoding =
  | { readonly kind: 'state'; readonly encoding: Exclude<StateEncoding, 'firstMoment'> }
  | { readonly kind: 'state'; readonly encoding: 'firstMoment'; readonly secondMoments: number };

export interface StateBlock {
  readonly kind: 'state';
  readonly encoding: StateEncoding;
}

/** Code of the first of `stateEncodings`. */
const firstCode = 33;
/** Mode, lengths and coder states of a block, in bytes. */
const headBytesMax = 256;
/** Clusters of a segment, or the prediction for its first row, in bytes. */
const segmentBytesMax = 160;
/** A symbol, its escape, and the predictions for its row and its column, in bytes, with room to spare. */
const elementBytesMax = 20;

/** Codes from 33 on, by encoding. */
export const stateCoding: CodingRule<StateCoding, StateBlock> = {
  kind: 'state',
  isWeight: false,
  isExact: false,
  isShared: false,
  versionMin: () => 4,
  codeOf: ({ encoding }) => firstCode + stateEncodings.indexOf(encoding),
  read: (code, { formatVersion }) => {
    const encoding = formatVersion >= 4 ? stateEncodings[code - firstCode] : undefined;
    if (encoding === undefined) return undefined;
    // The second moments that first moments refer to follow later in the index (second-moments.ts).
    return encoding === 'firstMoment' ? { kind: 'state', encoding, secondMoments: -1 } : { kind: 'state', encoding };
  },
  checkTensor: ({ dtype }) => {
    if (dtype !== 'F32') throw corruptPackage('a tensor of optimizer state is not F32');
  },
  blockOf: (_, { encoding }) => ({ kind: 'state', encoding }),
  classOf: ({ encoding }) => encoding,
  payloadBytesMax: ({ elementCount, segments }) =>
    headBytesMax + segmentBytesMax * segments.length + elementBytesMax * elementCount,
  matches: (there, here) => there.coding.encoding === here.coding.encoding,
};
