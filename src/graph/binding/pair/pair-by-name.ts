import type { EvalSetSpec } from '../../../checkpoint/quality/eval-set-spec.ts';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import { quoteName } from '../../../checkpoint/words/quote-name.ts';
import type { GraphInitializer } from '../../describe-graph.ts';
import { quoteNames } from '../../quote-names.ts';
import type { CheckpointTensor } from '../../weight-binding.ts';
import { fitOf, fits, misfit } from './fit.ts';
import type { Pair } from './pair.ts';

type TensorMap = NonNullable<EvalSetSpec['tensorMap']>;

/**
 * Pairs initializers with the tensors that the map gives them, else with those of their own name, transposed if only
 * that fits. Errors: `eval-input-mismatch` (a shape or type does not fit, or the map names no initializer),
 * `graph-missing-weights` (the map names no tensor).
 */
export function pairByName(
  fillable: readonly GraphInitializer[],
  tensors: readonly CheckpointTensor[],
  tensorMap: TensorMap,
): Map<string, Pair> {
  refuseStrangers(tensorMap, fillable);
  const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const pairs = new Map<string, Pair>();
  for (const initializer of fillable) {
    const { name } = initializer;
    const mapped = Object.hasOwn(tensorMap, name) ? tensorMap[name] : undefined;
    const tensor = byName.get(mapped?.tensor ?? name);
    if (tensor === undefined && mapped !== undefined) {
      throw new FirnError(
        'graph-missing-weights',
        `The tensor map fills ${quoteName(name)} from ${quoteName(mapped.tensor)}, which the checkpoint does not have.`,
      );
    }
    if (tensor === undefined) continue;
    const transpose = mapped === undefined ? fitOf(initializer, tensor) === 'transposed' : (mapped.transpose ?? false);
    if (!fits(initializer, tensor, transpose)) throw misfit(initializer, tensor, transpose);
    pairs.set(name, { tensor: tensor.name, transpose, by: mapped === undefined ? 'name' : 'map' });
  }
  return pairs;
}

function refuseStrangers(tensorMap: TensorMap, fillable: readonly GraphInitializer[]): void {
  const names = new Set(fillable.map((initializer) => initializer.name));
  const strangers = Object.keys(tensorMap).filter((name) => !names.has(name));
  if (strangers.length > 0)
    throw new FirnError(
      'eval-input-mismatch',
      `The tensor map names initializers that the graph does not have or keeps as constants: ${quoteNames(strangers)}.`,
    );
}
