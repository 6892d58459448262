import { stateEncodings, type StateEncoding } from '../../checkpoint/options/state-encoding.ts';
import { corruptPackage } from '../corrupt-package.ts';
import type { CodingRule } from './coding-rule.ts';

/**
 * A tensor of optimizer state, F32 and lossy. First moments name the tensor of their second moments, by its number in
 * the file. From version 4 on.
 */
export type StateCoding =
  | { readonly kind: 'state'; readonly form: Exclude<StateEncoding, 'firstMoment'> }
  | { readonly kind: 'state'; readonly form: 'firstMoment'; readonly secondMoments: number };

export interface StateBlock {
  readonly kind: 'state';
  readonly form: StateEncoding;
}

/** Code of the first of `stateEncodings`. */
const firstCode = 33;
/** Mode, lengths and coder states of a block, in bytes. */
const headBytesMax = 256;
/** Clusters of a segment, or what is expected of its first row, in bytes. */
const segmentBytesMax = 160;
/** A symbol, its escape, and what is expected of its row and its column, in bytes, with room to spare. */
const elementBytesMax = 20;

/** Codes from 33 on, by form. */
export const stateCoding: CodingRule<StateCoding, StateBlock> = {
  kind: 'state',
  isWeight: false,
  isExact: false,
  isShared: false,
  versionMin: () => 4,
  codeOf: ({ form }) => firstCode + stateEncodings.indexOf(form),
  read: (code, { formatVersion }) => {
    const form = formatVersion >= 4 ? stateEncodings[code - firstCode] : undefined;
    if (form === undefined) return undefined;
    // What first moments lie beside is told later in the index (second-moments.ts).
    return form === 'firstMoment' ? { kind: 'state', form, secondMoments: -1 } : { kind: 'state', form };
  },
  checkTensor: ({ dtype }) => {
    if (dtype !== 'F32') throw corruptPackage('a tensor of optimizer state is not F32');
  },
  blockOf: (_, { form }) => ({ kind: 'state', form }),
  classOf: ({ form }) => form,
  payloadBytesMax: ({ elementCount, segments }) =>
    headBytesMax + segmentBytesMax * segments.length + elementBytesMax * elementCount,
  matches: (there, here) => there.coding.form === here.coding.form,
};
