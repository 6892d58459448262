import type { NativeCore } from '../../../native/core.ts';
import type { CodingKind } from '../../../package/codings/all-codings.ts';
import { bitmaskDecoder } from './bitmask-decoder.ts';
import type { BlockDecoder } from './block-decoder.ts';
import { bucketDecoder } from './bucket-decoder.ts';
import { exactDecoder } from './exact-decoder.ts';
import { levelDecoder } from './level-decoder.ts';
import { residualDecoder } from './residual-decoder.ts';
import { stateDecoder } from './state-decoder.ts';

/** One decoder for every kind of coding. */
const decoders: Readonly<Record<CodingKind, (core: NativeCore) => BlockDecoder>> = {
  buckets: bucketDecoder,
  bitmask: bitmaskDecoder,
  exact: exactDecoder,
  levels: levelDecoder,
  residual: residualDecoder,
  state: stateDecoder,
};

export function decoderOf(kind: CodingKind, core: NativeCore): BlockDecoder {
  return decoders[kind](core);
}
