import type { RunLayout } from '../../catalog/contract/run-records.ts';

import { haveSameRows, rowsKey } from '../../package/blocks/namesakes.ts';
import { isQuantizable, tensorBytes } from '../../checkpoint/dtype.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { quoteName } from '../../checkpoint/words/quote-name.ts';
import type { SafetensorsLayout } from '../../checkpoint/safetensors/safetensors-layout.ts';

/** A file of a checkpoint with its checked header. */
export interface LaidOutFile {
  readonly path: string;
  readonly layout: SafetensorsLayout;
}

type LaidOutTensor = RunLayout[number];

/** The tensors of several files, sorted by name. Throws `tensor-duplicate` if a name occurs twice. */
export function joinLayouts(files: readonly LaidOutFile[]): RunLayout {
  const tensors = new Map<string, LaidOutTensor & { readonly path: string }>();
  for (const { path, layout } of files) {
    for (const { name, dtype, shape } of layout.tensors) {
      const earlier = tensors.get(name);
      if (earlier !== undefined)
        throw new FirnError(
          'tensor-duplicate',
          `Tensor ${quoteName(name)} is in ${quoteName(earlier.path)} and in ${quoteName(path)}.`,
        );
      tensors.set(name, { name, dtype, shape, path });
    }
  }
  return [...tensors.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, dtype, shape }) => ({ name, dtype, shape }));
}

/** Throws `layout-mismatch` with the first tensor, by name, in which a checkpoint differs from its run. */
export function checkSameLayout(ofRun: RunLayout, ofCheckpoint: RunLayout): void {
  for (let i = 0; i < Math.max(ofRun.length, ofCheckpoint.length); i++) {
    const expected = ofRun[i];
    const found = ofCheckpoint[i];
    if (expected !== undefined && (found === undefined || expected.name < found.name))
      throw mismatch(`Tensor ${quoteName(expected.name)} of the run is missing.`);
    if (found !== undefined && (expected === undefined || found.name < expected.name))
      throw mismatch(`Tensor ${quoteName(found.name)} is not in the run.`);
    if (expected!.dtype !== found!.dtype || !sameShape(expected!.shape, found!.shape)) {
      throw mismatch(
        `Tensor ${quoteName(found!.name)} is ${describe(found!)}; in the run it is ${describe(expected!)}.`,
      );
    }
  }
}

/** Least share of a model's bytes that must have a counterpart in a base model: below it a delta saves little. */
const sharedEnough = 0.5;

/**
 * Whether a model can be stored against a base model: half of its bytes at least are in rows that the base may have
 * too. Shapes show no more than that: for each tensor, the base's tensor of the same name, or else one whose
 * name the model does not have. It has the same dtype and shape, but for the number of rows (the first dimension) where
 * there are more dimensions or the name is the same. Which tensors were renamed is found by their values, later
 * (`findNamesakes`). Pure.
 */
export function canBuildOn(base: RunLayout, model: RunLayout): boolean {
  const names = new Set(model.map(({ name }) => name));
  const byName = new Map(base.map((tensor) => [tensor.name, tensor]));
  const others = new Map<string, LaidOutTensor[]>();
  for (const tensor of base) {
    if (names.has(tensor.name)) continue;
    const alike = others.get(rowsKey(tensor));
    if (alike === undefined) others.set(rowsKey(tensor), [tensor]);
    else alike.push(tensor);
  }
  let [all, shared] = [0, 0];
  for (const tensor of model) {
    const bytes = tensorBytes(tensor.dtype, tensor.shape);
    const named = byName.get(tensor.name);
    all += bytes;
    if (named !== undefined && haveSameRows(named, tensor))
      shared += Math.min(bytes, tensorBytes(named.dtype, named.shape));
    else shared += sharedWith(tensor, others.get(rowsKey(tensor)) ?? []);
  }
  return all > 0 && shared >= sharedEnough * all;
}

/** Bytes that a tensor has in common with the one of `candidates` whose size is nearest, which is taken from them. */
function sharedWith(tensor: LaidOutTensor, candidates: LaidOutTensor[]): number {
  const bytes = tensorBytes(tensor.dtype, tensor.shape);
  const distances = candidates.map((other) => Math.abs(tensorBytes(other.dtype, other.shape) - bytes));
  const nearest = distances.indexOf(Math.min(...distances));
  if (nearest < 0) return 0;
  const [other] = candidates.splice(nearest, 1);
  return Math.min(bytes, tensorBytes(other!.dtype, other!.shape));
}

/** Throws `layout-mismatch` if a model cannot be stored against its base model. */
export function checkBuildsOn(base: RunLayout, model: RunLayout): void {
  if (canBuildOn(base, model)) return;
  throw mismatch('Less than half of the bytes are in tensors whose dtype and shape the base model has too.');
}

/**
 * Every sensitivity must belong to a model tensor of the same shape, and its dtype must suit sums. Throws
 * `layout-mismatch` with the first that does not.
 */
export function checkSensitivity(model: RunLayout, sensitivity: RunLayout): void {
  const byName = new Map(model.map((tensor) => [tensor.name, tensor]));
  for (const tensor of sensitivity) {
    const weights = byName.get(tensor.name);
    if (weights === undefined) throw mismatch(`Sensitivity ${quoteName(tensor.name)} belongs to no model tensor.`);
    if (!sameShape(weights.shape, tensor.shape))
      throw mismatch(
        `Sensitivity ${quoteName(tensor.name)} is ${describe(tensor)}; its model tensor is ${describe(weights)}.`,
      );
    if (!isQuantizable(tensor.dtype))
      throw mismatch(`Sensitivity ${quoteName(tensor.name)} is ${tensor.dtype}; it must be F32, F16 or BF16.`);
  }
}

function describe({ dtype, shape }: LaidOutTensor): string {
  return `${dtype} [${shape.join(', ')}]`;
}

function sameShape(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((size, i) => size === b[i]);
}

function mismatch(sentence: string): FirnError {
  return new FirnError('layout-mismatch', sentence);
}
