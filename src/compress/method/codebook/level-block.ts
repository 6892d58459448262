import type { NativeCore } from '../../../native/core.ts';
import type { LevelsToEncode } from '../../../package/blocks/encode-block.ts';
import type { Ancestor } from '../../ancestor/ancestor.ts';
import type { ModelSource } from '../../upload/model-source.ts';
import type { LevelBlockPlace } from './level-blocks.ts';
import type { GroupQuantizer, Quantizer } from './quantizer.ts';

/** A model under one config, with all inputs of `quantizeBlock` and the steps after it. */
export interface CodebookModel {
  readonly source: ModelSource;
  readonly quantizer: Quantizer;
  readonly groups: readonly GroupQuantizer[];
  readonly core: NativeCore;
}

/** Assigns the levels of one block. */
export async function quantizeBlock(model: CodebookModel, at: Omit<LevelBlockPlace, 'index'>, signal?: AbortSignal) {
  const pair = model.quantizer.usable(await model.source.readWeights(at.file, at.block, signal));
  const { partition, map } = model.groups[at.group]!;
  return model.core.assignLevels(pair, partition, map, signal);
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
