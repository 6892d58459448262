import { isHalf } from '../../../checkpoint/dtype.ts';
import type { BitsnapConfig } from '../../../checkpoint/options/methods/bitsnap-config.ts';
import type { QuantizationConfig } from '../../../checkpoint/options/quantization-config.ts';
import { defaultStateOptions, type StateOptions } from '../../../checkpoint/options/state-options.ts';
import { stateTensorsOf } from '../../../checkpoint/options/state-role.ts';
import { blockElementsMax } from '../../../native/core.ts';
import type { BlockPlace } from '../../../package/blocks/block-plan.ts';
import { configAlone } from '../../../search/trial-conditions.ts';
import type { Ancestor } from '../../ancestor/ancestor.ts';
import type { AncestorCandidate } from '../../ancestor/find-ancestor.ts';
import { isDamage } from '../../ancestor/open-ancestor.ts';
import { forEachBounded } from '../../bounded-parallel.ts';
import { planExact, quantizedBlocks } from '../../plan/plan-codings.ts';
import type { ModelSource, SourceFile } from '../../upload/model-source.ts';
import type { AncestryChoice, Method, MethodWork, QuantizationBasis, StateChoice } from '../method.ts';
import type { PackageEncoding, Quantization, QuantizedModel } from '../quantized-model.ts';

/**
 * The paper's limit (section 3.3, equation 2): if this share of weights changed, mask and changed weights take as many
 * bytes as all weights.
 */
const mostChangedShare = 15 / 16;
const elementBytes = 2;

/**
 * BitSnap: 16-bit weights as a packed mask of those that changed since the last base, and these weights; a base every N
 * checkpoints (section 3.3, algorithm 1); optimizer state in clusters (section 3.4, algorithm 2). Weights are restored
 * exactly as uploaded. If most weights changed, neither is used (`areMostChanged`).
 */
export const bitsnapMethod: Method = {
  name: 'bitsnap',
  codingOf: ({ entry }) => (isHalf(entry.dtype) && entry.elementCount > 0 ? { kind: 'bitmask' } : undefined),
  ancestry: { kind: 'own', choose: lastBase },
  optimizerState,
  begin: (work) => {
    if (!halfTensors(work.source.files))
      work.warn(
        'The model has no weights of 16 bits (F16 or BF16), which are all that bitmasks are for, so its ' +
          'weights are stored exact.',
      );
    return { quantization: async (basis) => quantizationBehind(work, basis), close: () => undefined };
  },
};

/** The newest base; none if it already has as many deltas as allowed, so that the next checkpoint is a base too. */
function lastBase({ candidates, config }: AncestryChoice): readonly AncestorCandidate[] {
  const deltas = candidates.findIndex(isBase);
  return deltas >= 0 && deltas + 1 < own(config).baseEvery ? [candidates[deltas]!] : [];
}

function isBase({ checkpoint }: AncestorCandidate): boolean {
  return checkpoint.result?.kind === 'base';
}

function halfTensors(files: readonly SourceFile[]): boolean {
  return files.some(
    ({ role, layout }) =>
      role === 'model' && layout.tensors.some(({ dtype, elementCount }) => isHalf(dtype) && elementCount > 0),
  );
}

function quantizationBehind(work: MethodWork, { model: { plan }, ancestor }: QuantizationBasis): Quantization {
  const model = bitsnapModel(work);
  return {
    conditions: configAlone,
    quantize: async () => model,
    estimateBytes: async (_, options) => {
      const encoding = await model.encoding(ancestor, options);
      let bytes = 0;
      for (const at of quantizedBlocks(plan)) bytes += (await encoding.payload(at, options.signal)).length;
      return bytes;
    },
    search: () => Promise.reject(new TypeError('the config of bitsnap is given, or its own')),
  };
}

/** A checkpoint whose 16-bit weights are bitmasks against a base, or a base itself. */
function bitsnapModel({ source, core, parallel, signal }: WeightsToCompare): QuantizedModel {
  const payload = async (
    { file, index, block }: BlockPlace,
    ancestor: Ancestor | undefined,
    within?: AbortSignal,
  ): Promise<Uint8Array> => {
    if (block.coding.kind !== 'bitmask') throw new TypeError('not a block of bitmasks');
    const { dtype } = block.coding;
    const [current, previous] = await Promise.all([
      source.readBlock(file, block, within),
      ancestor?.elements(file, index, within),
    ]);
    return core.bitmaskEncode({ current, previous, dtype }, within);
  };
  return {
    elements: ({ file, block }, within) => source.readBlock(file, block, within),
    encoding: async (given): Promise<PackageEncoding> => {
      const share = given && (await changedShare({ source, core, parallel, signal }, given));
      // It is then a base: a mask is of no use (equation 2).
      const ancestor = areMostChanged(share) ? undefined : given;
      const tables = { codebooks: [], tableSets: [] };
      return {
        formatVersion: 8,
        ancestor,
        migration: ancestor && share,
        ...tables,
        payload: (at, within) => payload(at, ancestor, within),
      };
    },
  };
}

/**
 * If the run has options for its optimizer state, these apply. Else states are stored in clusters, and so are F32
 * copies of the weights (algorithm 2). If most weights changed since the last base, states are stored exact: the
 * paper's numbers leave warm-up out (sections 5.2.2 and 5.3.2).
 */
async function optimizerState(choice: StateChoice): Promise<StateOptions | undefined> {
  const { state, source } = choice;
  if (state !== undefined) return state;
  const clustered = clusteredState(source.files);
  if (clustered === undefined || !(await changedMost(choice))) return clustered;
  choice.warn('Most 16-bit weights changed since the last base, as in warm-up, so the optimizer state is kept exact.');
  return undefined;
}

/** If the base cannot be read, the warning comes later, when the weights are to build on it. */
async function changedMost({ candidates, ancestors, ...work }: StateChoice): Promise<boolean> {
  const base = candidates.find(isBase);
  try {
    // Tensors are compared whole, so any plan of blocks will do.
    const opened = base && (await ancestors.open(base, planExact(work.source.files, new Map())));
    return areMostChanged(opened && (await changedShare(work, opened)));
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}

/**
 * Clusters for every role that a tensor of an optimizer file has; undefined without one. Copies of the weights are
 * coded like momentum.
 */
function clusteredState(files: readonly SourceFile[]): StateOptions | undefined {
  const model = new Set(
    files.filter(({ role }) => role === 'model').flatMap(({ layout }) => layout.tensors.map(({ name }) => name)),
  );
  const found: { -readonly [Role in keyof StateOptions]?: StateOptions[Role] } = {};
  const copies: string[] = [];
  for (const { role: ofFile, type, layout } of files) {
    if (ofFile !== 'optimizer' || type !== 'safetensors') continue;
    for (const { name, dtype, elementCount } of layout.tensors) {
      if (elementCount <= 1) continue;
      const said = stateTensorsOf(name, { model });
      for (const { role } of said) if (role !== 'master') found[role] = 'bitsnap';
      const isCopy = said.length === 0 ? model.has(name) : said.length === 1 && said[0]!.role === 'master';
      // In these names an asterisk would be a pattern.
      if (isCopy && dtype === 'F32' && !name.includes('*')) copies.push(name);
    }
  }
  if (copies.length > 0) found.momentum = 'bitsnap';
  if (Object.keys(found).length === 0) return undefined;
  return { ...defaultStateOptions, ...found, ...(copies.length > 0 && { names: { momentum: copies } }) };
}

type WeightsToCompare = Pick<MethodWork, 'source' | 'core' | 'parallel' | 'signal'>;

/**
 * Share of the model's 16-bit weights that differ from those of the same name, dtype and size in a base; undefined if
 * there are none. Rejects with the errors of source, restore and core.
 */
async function changedShare(
  { source, core, parallel, signal }: WeightsToCompare,
  base: Ancestor,
): Promise<number | undefined> {
  let [changed, compared] = [0, 0];
  await forEachBounded(comparedParts(source, base), parallel, async ({ file, run, there }) => {
    const [startBytes, lengthBytes] = [elementBytes * run.firstElement, elementBytes * run.elementCount];
    const [current, previous] = await Promise.all([
      source.readRun(file, run, signal),
      base.tensorBytes(there, startBytes, lengthBytes, signal),
    ]);
    const found = await core.bitmaskChanged(current, previous, signal);
    changed += found;
    compared += run.elementCount;
  });
  return compared === 0 ? undefined : changed / compared;
}

/**
 * Whether so many weights changed that a bitmask does not help. Weights without a counterpart count neither as changed
 * nor as unchanged.
 */
function areMostChanged(share: number | undefined): boolean {
  return share !== undefined && share >= mostChangedShare;
}

function* comparedParts({ files }: ModelSource, base: Ancestor) {
  for (const [file, { path, role, layout }] of files.entries()) {
    if (role !== 'model') continue;
    for (const [tensor, { name, dtype, elementCount }] of layout.tensors.entries()) {
      const there = isHalf(dtype) ? base.tensorOf(path, name) : undefined;
      if (there === undefined) continue;
      const { content } = base.index.files[there.file]!;
      const alike = content.type === 'safetensors' ? content.layout.tensors[there.tensor] : undefined;
      if (alike?.dtype !== dtype || alike.elementCount !== elementCount) continue;
      for (let firstElement = 0; firstElement < elementCount; firstElement += blockElementsMax) {
        yield {
          file,
          run: { tensor, firstElement, elementCount: Math.min(blockElementsMax, elementCount - firstElement) },
          there,
        };
      }
    }
  }
}

function own(config: QuantizationConfig | undefined): BitsnapConfig {
  if (config?.method !== 'bitsnap') throw new TypeError(`a config of another method: ${config?.method}`);
  return config;
}
