import type { EncodedLevels, LevelCoding, NativeCore, TokenTables, WeightBlock } from '../../../native/core.ts';
import type { Ancestor } from '../../ancestor/ancestor.ts';
import type { TokenCensus } from './count-tokens.ts';
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

/** Adds one block to each census, under the coding that it stands for. */
export async function countBlock(
  model: CodebookModel,
  at: BlockOfCodebook,
  censuses: readonly { readonly coding: LevelCoding; readonly census: TokenCensus }[],
  signal?: AbortSignal,
): Promise<void> {
  const { partition } = model.groups[at.group]!;
  const weights = await usableWeights(model, at, signal);
  await Promise.all(
    censuses.map(async ({ coding, census }) => {
      const counts = census.countsOf(at.group);
      const found = await model.core.countTokens(weights, partition, { ...coding, counts }, signal);
      census.note(found, coding.previous?.levels.length ?? 0);
    }),
  );
}

/** The tokens of one block's levels, and its protected words. */
export async function encodeBlock(
  model: CodebookModel,
  at: BlockOfCodebook,
  { coding, tables }: { readonly coding: LevelCoding; readonly tables: TokenTables },
  signal?: AbortSignal,
): Promise<EncodedLevels> {
  const { partition } = model.groups[at.group]!;
  return model.core.encodeTokens(await usableWeights(model, at, signal), partition, { ...coding, tables }, signal);
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

/** How the levels of a block are coded without an ancestor. */
export function codedAlone(model: CodebookModel, { group }: Pick<BlockOfCodebook, 'group'>): LevelCoding {
  const { map, levelCount } = model.groups[group]!;
  return { map, modulus: levelCount };
}

/**
 * How they are coded against the ancestor's. A block without a counterpart is coded alone, with its own level count
 * (docs/format.md).
 */
export async function codedAgainst(
  model: CodebookModel,
  ancestor: Ancestor,
  at: LevelBlockPlace,
  signal?: AbortSignal,
): Promise<LevelCoding> {
  const alone = codedAlone(model, at);
  const levels = await previousLevels(ancestor, at, signal);
  if (levels === undefined) return alone;
  const heldAs = `${ancestor.stateName(at.file, at.index)!}/levels`;
  return { ...alone, previous: { levels, heldAs }, modulus: ancestor.modulus(at.group, alone.modulus) };
}

/**
 * Levels of the ancestor's block that this one is coded against; undefined without a counterpart. Rejects with the
 * errors of restore.
 */
export async function previousLevels(
  ancestor: Ancestor,
  { file, index }: Pick<LevelBlockPlace, 'file' | 'index'>,
  signal?: AbortSignal,
): Promise<Uint8Array | undefined> {
  const decoded = await ancestor.decoded(file, index, signal);
  return decoded?.kind === 'levels' ? decoded.levels.levels : undefined;
}
