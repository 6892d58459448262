import type { NativeCore } from '../../../native/core.ts';
import { levelPayload } from '../../../package/blocks/encode-block.ts';
import type { PackageCodebook } from '../../../package/package-index.ts';
import type { Ancestor } from '../../ancestor/ancestor.ts';
import { forEachBounded } from '../../bounded-parallel.ts';
import { bytesOf, TokenCensus, type ChosenTables } from './count-tokens.ts';
import {
  codedAgainst,
  codedAlone,
  countBlock,
  elementsOfBlock,
  encodeBlock,
  type CodebookModel,
} from './level-block.ts';
import { levelBlocks } from './level-blocks.ts';
import type { CodingPlan } from '../../plan/plan-codings.ts';
import type { PackageEncoding, EncodingOptions, QuantizedModel } from '../quantized-model.ts';
import type { BlockPlace } from '../../../package/blocks/block-plan.ts';

/** A checkpoint whose weights are levels of codebooks (Inshrinkerator section 4), coded as in its section 6. */
export class LevelModel implements QuantizedModel {
  private readonly model: CodebookModel;
  private readonly plan: CodingPlan;
  private readonly core: NativeCore;

  constructor(model: CodebookModel, plan: CodingPlan) {
    this.model = model;
    this.plan = plan;
    this.core = model.core;
  }

  elements(at: BlockPlace, signal?: AbortSignal): Promise<Uint8Array> {
    return elementsOfBlock(this.model, { ...at, group: codebookOf(at) }, signal);
  }

  /**
   * Token tables from a pass over the levels; against the ancestor when that is smaller than coding the level blocks
   * alone.
   */
  async encoding(ancestor: Ancestor | undefined, { parallel, signal }: EncodingOptions): Promise<PackageEncoding> {
    const { groups } = this.plan;
    const [alone, against] = [new TokenCensus(this.core, groups), new TokenCensus(this.core, groups)];
    await forEachBounded(levelBlocks(this.plan), parallel, async (at) => {
      const censuses = [{ coding: codedAlone(this.model, at), census: alone }];
      if (ancestor !== undefined)
        censuses.push({ coding: await codedAgainst(this.model, ancestor, at, signal), census: against });
      await countBlock(this.model, at, censuses, signal);
    });
    const [base, delta] = [alone.tables(), against.tables()];
    return ancestor !== undefined && bytesOf(delta) < bytesOf(base)
      ? this.encodingWith(ancestor, delta, against.migration)
      : this.encodingWith(undefined, base, undefined);
  }

  private encodingWith(
    ancestor: Ancestor | undefined,
    tables: ChosenTables,
    migration: number | undefined,
  ): PackageEncoding {
    return {
      formatVersion: 1,
      ancestor,
      migration,
      codebooks: this.codebooks(tables),
      tableSets: tables.sets.map((set) => set.serialize()),
      payload: async (at, signal) => {
        const place = { ...at, group: codebookOf(at) };
        const coding =
          ancestor === undefined
            ? codedAlone(this.model, place)
            : await codedAgainst(this.model, ancestor, place, signal);
        const set = tables.sets[tables.setOfGroup[place.group]!]!;
        return levelPayload(await encodeBlock(this.model, place, { coding, tables: set }, signal));
      },
    };
  }

  private codebooks(tables: ChosenTables): PackageCodebook[] {
    return this.model.groups.map(({ group, map, levelCount, table }, number) => ({
      layerType: group.layerType,
      dtype: group.dtype,
      levelCount,
      tableSet: tables.setOfGroup[number]!,
      table: table.subarray(0, levelCount * (table.length / 256)),
      ...(map.prunedLevel === undefined ? {} : { prunedLevel: map.prunedLevel }),
      ...(map.protectedLevel === undefined ? {} : { protectedLevel: map.protectedLevel }),
    }));
  }
}

function codebookOf({ block }: BlockPlace): number {
  if (block.coding.kind !== 'levels') throw new TypeError('not a block of levels');
  return block.coding.codebook;
}
