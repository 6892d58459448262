import type { AssignedLevels, NativeCore, WeightBlock } from '../../../native/core.ts';
import type { LevelsToEncode } from '../../../package/blocks/encode-block.ts';
import type { Ancestor } from '../../ancestor/ancestor.ts';
import type { LevelBlockPlace } from './level-blocks.ts';
import type { GroupQuantizer, Quantizer } from './quantizer.ts';
import type { WeightSource } from './held-weights.ts';

/** A model under one config, with all that its blocks need. */
export interface CodebookModel {
  readonly source: WeightSource;
  readonly quantizer: Quantizer;
  readonly groups: readonly GroupQuantizer[];
  readonly core: NativeCore;
}

type BlockOfCodebook = Omit<LevelBlockPlace, 'index'>;

/** Assigns the levels of one block. */
export async function quantizeBlock(
  model: CodebookModel,
  at: BlockOfCodebook,
  signal?: AbortSignal,
): Promise<AssignedLevels> {
  const { partition, map } = model.groups[at.group]!;
  return model.core.assignLevels(await usableWeights(model, at, signal), partition, map, signal);
}

/** The elements that one block's levels stand for, in the dtype of its tensors. */
export async function elementsOfBlock(
  model: CodebookModel,
  at: BlockOfCodebook,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const { partition, map, table, levelCount, group } = model.groups[at.group]!;
  const request = { map, dtype: group.dtype, table, levelCount };
  return model.core.codebookElements(await usableWeights(model, at, signal), partition, request, signal);
}

async function usableWeights(
  { quantizer, source }: CodebookModel,
  { file, block }: BlockOfCodebook,
  signal?: AbortSignal,
): Promise<WeightBlock> {
  return quantizer.usable(await source.readWeights(file, block, signal));
}

/** One block's levels, with the levels of the ancestor that they are coded against. */
export async function levelBlock(
  model: CodebookModel,
  ancestor: Ancestor | undefined,
  at: LevelBlockPlace,
  signal?: AbortSignal,
): Promise<LevelsToEncode> {
  const { levels, protectedWords } = await quantizeBlock(model, at, signal);
  const { levelCount } = model.groups[at.group]!;
  const previous = await previousLevels(ancestor, at, signal);
  // A block without a counterpart is coded alone, with its own level count (docs/format.md).
  const modulus = previous === undefined ? levelCount : ancestor!.modulus(at.group, levelCount);
  return { levels, protectedWords, previous, modulus };
}

/**
 * Levels of the ancestor's block that this one is coded against; undefined without a counterpart. Rejects with the
 * errors of restore.
 */
export async function previousLevels(
  ancestor: Ancestor | undefined,
  { file, index }: Pick<LevelBlockPlace, 'file' | 'index'>,
  signal?: AbortSignal,
): Promise<Uint8Array | undefined> {
  const decoded = await ancestor?.decoded(file, index, signal);
  return decoded?.kind === 'levels' ? decoded.levels.levels : undefined;
}
