import { progressAfterRestart, thresholdsAfterRestart } from '../../checkpoint/quality/thresholds-after-restart.ts';
import type { QualityThresholds } from '../../checkpoint/quality/quality.ts';
import type { ModelQuality } from '../prepare-model.ts';

/** What a restart changes of a model's quality, and what that takes. */
export type BoundedQuality = Pick<ModelQuality, 'settle' | 'bound' | 'limits' | 'understood'> & {
  readonly gate: Pick<ModelQuality['gate'], 'spec'>;
};

/**
 * The model with its quality bounded as it is once training has been resumed from rebuilt weights: thresholds without
 * `progress` have one (docs/decisions/0071-progress-after-a-restart.md).
 */
export function boundAfterRestart<Model extends { readonly quality?: BoundedQuality }>(
  model: Model,
  thresholds: QualityThresholds,
): Model {
  const { quality } = model;
  if (quality === undefined) return model;
  const { bound, limits, words } = quality.settle(thresholdsAfterRestart(thresholds, quality.gate.spec.metrics));
  const hasProgress = (found: typeof limits, name: string): boolean => found[name]?.withoutProgress !== undefined;
  if (Object.keys(limits).every((name) => hasProgress(limits, name) === hasProgress(quality.limits, name)))
    return model;
  const why =
    'Training went on from rebuilt weights, and what restarts lose adds up: ' +
    `"progress" is ${progressAfterRestart} where the thresholds do not say it.`;
  const understood = [...new Set([...quality.understood, why, ...words])];
  return { ...model, quality: { ...quality, bound, limits, understood } };
}
