import { layerTypes } from '../../checkpoint/layer-type.ts';
import { corruptPackage } from '../corrupt-package.ts';
import type { CodingRule } from './coding-rule.ts';

/** Levels of a codebook of the package. */
export interface LevelCoding {
  readonly kind: 'levels';
  readonly codebook: number;
}

/** Longest code of a token, in bits (docs/format-blocks.md). */
const codeLengthMaxBits = 24;

/** Codes from 6 on, by codebook. */
export const levelCoding: CodingRule<LevelCoding, LevelCoding> = {
  kind: 'levels',
  isWeight: true,
  isExact: false,
  isShared: false,
  versionMin: () => 1,
  codeOf: ({ codebook }) => layerTypes.length + codebook,
  read: (code, { codebookCount }) => {
    const codebook = code - layerTypes.length;
    if (codebook < 0 || codebook >= codebookCount) return undefined;
    return { kind: 'levels', codebook };
  },
  checkTensor: ({ dtype }, { codebook }, codebooks) => {
    if (codebooks[codebook]!.dtype !== dtype) throw corruptPackage('a tensor and its codebook differ in dtype');
  },
  blockOf: (_, coding) => coding,
  classOf: ({ codebook }) => codebook,
  // A count, a word per element, and a token of the longest code per element (two tokens stand for at least two
  // elements), padded to a byte.
  payloadBytesMax: ({ elementCount }) => 8 + 2 * elementCount + Math.ceil((elementCount * codeLengthMaxBits) / 8),
  matches: (there, here) => {
    const [bookThere, bookHere] = [there.codebooks[there.coding.codebook]!, here.codebooks[here.coding.codebook]!];
    return bookThere.layerType === bookHere.layerType && bookThere.dtype === bookHere.dtype;
  },
};
