import type { QuantizableDtype } from '../../checkpoint/dtype.ts';
import type { StateEncoding } from '../../checkpoint/options/state-encoding.ts';
import type { CodebookOptions, ElementKind, Partition } from '../core.ts';

/** Numbers that represent the words of core.ts at the seam: the pinned values of the enums in native/include/firn. */
export const nativeNumbers = {
  dtype: { F32: 0, F16: 1, BF16: 2 } satisfies Record<QuantizableDtype, number>,
  metric: { magnitude: 0, sensitivity: 1 } satisfies Record<Partition['pruneMetric'], number>,
  clustering: { kmeanspp: 0, optimal: 1 } satisfies Record<CodebookOptions['clustering'], number>,
  weighting: { frequency: 0, 'frequency-magnitude': 1 } satisfies Record<CodebookOptions['weighting'], number>,
  elementKind: {
    bytes: 0,
    f16: 1,
    bf16: 2,
    f32: 3,
    f64: 4,
    word16: 5,
    word32: 6,
    word64: 7,
  } satisfies Record<ElementKind, number>,
  stateEncoding: { secondMoment: 0, firstMoment: 1, momentum: 2, clusters: 3 } satisfies Record<StateEncoding, number>,
  masterKind: { BF16: 1, F16: 2 },
  /** For a segment without a reference tensor. */
  noReference: 0,
  /** An absent level (firn::kNoLevel). */
  noLevel: -1,
} as const;

/** Size of one element of each kind, in bytes. */
export const elementKindBytes: Readonly<Record<ElementKind, number>> = {
  bytes: 1,
  f16: 2,
  bf16: 2,
  f32: 4,
  f64: 8,
  word16: 2,
  word32: 4,
  word64: 8,
};
