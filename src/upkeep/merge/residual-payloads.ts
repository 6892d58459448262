import { mapBounded, forEachBounded } from '../../compress/bounded-parallel.ts';
import type { ContextLayout, ContextTables, LatticeState } from '../../native/core.ts';
import { contextSegments, slotCount } from '../../package/blocks/residual-block.ts';
import { ByteWriter } from '../../package/byte-writer.ts';
import type { PackageIndex } from '../../package/package-index.ts';
import { ByteCache } from '../../restore/byte-cache.ts';
import { residualWay } from '../../restore/chain/decoders/residual-decoder.ts';
import { JointSymbolCounts, packJointSymbols, type JointSymbolList, type PackedJointSymbols } from './joint-symbols.ts';
import type { MergedPackageSource, SharedBlock } from './merged-source.ts';
import type { MergedPackageOptions, PayloadSharer, SharedPayloads } from './shared-payloads.ts';

/** Puts together the payloads of residual deltas: one joint symbol for all symbols of a weight. */
export const residualSharer: PayloadSharer = {
  coding: 'residual',
  takes: isResidualDelta,
  share: residualPayloads,
  // Later blocks are coded against the state, which holds more than the elements.
  isSame: async ({ core, before, after, signal }) =>
    sameState(
      await core.residualState(await residualWay(before, signal), signal),
      await core.residualState(await residualWay(after, signal), signal),
    ),
};

async function residualPayloads(
  source: MergedPackageSource,
  blocks: readonly SharedBlock[],
  options: MergedPackageOptions,
): Promise<SharedPayloads> {
  const coder = new SharedCoder(source, blocks, options);
  const list = await coder.list();
  const tables = await coder.tables(list);
  return {
    ...{ formatVersion: 3, jointSymbols: list.jointSymbols, tables: tables.serialize() },
    payloads: () => coder.payloads(list, tables),
  };
}

/** A separate delta with residual tensors, without levels, and without features later than version 2. */
function isResidualDelta({ formatVersion, kind, part, codebooks, residual }: PackageIndex): boolean {
  return (
    formatVersion <= 2 && kind === 'delta' && part === undefined && codebooks.length === 0 && residual !== undefined
  );
}

/**
 * Codes the blocks that all checkpoints share. Symbols that do not fit into the cache are decoded again in each pass.
 */
class SharedCoder {
  private readonly source: MergedPackageSource;
  private readonly blocks: readonly SharedBlock[];
  private readonly options: MergedPackageOptions;
  private readonly kept: ByteCache<SharedSymbols>;

  constructor(source: MergedPackageSource, blocks: readonly SharedBlock[], options: MergedPackageOptions) {
    this.source = source;
    this.blocks = blocks;
    this.options = options;
    this.kept = new ByteCache(options.cacheMaxBytes);
  }

  async list(): Promise<JointSymbolList> {
    const counts = new JointSymbolCounts(this.source.links.length);
    await forEachBounded(this.blocks, this.options.parallel, async (block) =>
      counts.add((await this.symbols(block)).jointSymbols),
    );
    return counts.list();
  }

  async tables(list: JointSymbolList): Promise<ContextTables> {
    const { core, parallel, signal } = this.options;
    const counts = core.createContextCounts();
    await forEachBounded(this.blocks, parallel, async (block) => {
      const { jointSymbols, contexts, segments } = await this.symbols(block);
      await counts.add({ contexts, segments, ...list.code(jointSymbols) }, signal);
    });
    return counts.build({ slots: residualTensorCount(this.source.indexes[0]!) }, signal);
  }

  /** One payload per block, in order. */
  payloads(list: JointSymbolList, tables: ContextTables): AsyncGenerator<Uint8Array> {
    return mapBounded(this.blocks, this.options.parallel, async (block) => {
      const { jointSymbols, escapes, contexts, segments } = await this.symbols(block);
      const writer = new ByteWriter().varint(escapes.length);
      for (const escape of escapes) writer.varint(escape);
      return writer
        .append(await tables.encode({ contexts, segments, ...list.code(jointSymbols) }, this.options.signal))
        .finish();
    });
  }

  private async symbols(block: SharedBlock): Promise<SharedSymbols> {
    const key = `${block.last} ${block.file}`;
    const kept = this.kept.get(key);
    if (kept !== undefined) return kept;
    const shared = await symbolsOf(this.source, block, this.options);
    this.kept.set(key, shared, shared.jointSymbols.byteLength + shared.contexts.length + 8 * shared.escapes.length);
    return shared;
  }
}

function residualTensorCount({ files }: PackageIndex): number {
  return slotCount(
    files.reduce(
      (count, { content }) => count + (content.type === 'safetensors' ? (content.residuals?.size ?? 0) : 0),
      0,
    ),
  );
}

/** The symbols of a block in all those checkpoints, and the parameters for coding its payload. */
export interface SharedSymbols {
  readonly jointSymbols: PackedJointSymbols;
  /** Escaped symbols (moves of more steps than a symbol can express), checkpoint by checkpoint. */
  readonly escapes: readonly number[];
  readonly contexts: Uint8Array;
  readonly segments: ContextLayout['segments'];
}

/** Rejects with `corrupt-package` and the errors of the store. */
async function symbolsOf(
  source: MergedPackageSource,
  block: SharedBlock,
  { core, signal }: MergedPackageOptions,
): Promise<SharedSymbols> {
  const width = source.links.length;
  const { links, start } = await residualWay(source.walk(block), signal);
  let state: LatticeState = await core.residualState({ links: links.slice(0, -width), start }, signal);
  let contextsBefore: Uint8Array | undefined;
  const symbols: Uint8Array[] = [];
  const escapes: number[] = [];
  for (const { tables, payload, segments, slots } of links.slice(-width)) {
    const contexts = await core.latticeContexts({ segments, previous: state }, signal);
    contextsBefore ??= contexts;
    const counts = Uint32Array.from(segments, ({ elementCount }) => elementCount);
    const decoded = await tables.decode(payload, { contexts, segments: { counts, slots } }, signal);
    state = await core.latticeApply(decoded, { segments, previous: state }, signal);
    symbols.push(decoded.symbols);
    for (const escape of decoded.escapes) escapes.push(escape);
  }
  return {
    jointSymbols: packJointSymbols(symbols),
    escapes,
    contexts: contextsBefore!,
    segments: segmentsOf(source, block),
  };
}

function segmentsOf({ links }: MergedPackageSource, { file, planned }: SharedBlock): ContextLayout['segments'] {
  const { package: first } = links[0]!;
  const number = first.index.files.findIndex(({ path }) => path === file);
  return contextSegments(first.residualFile(number)!, planned);
}

function sameState(a: LatticeState, b: LatticeState): boolean {
  return Buffer.compare(bytesOf(a.values), bytesOf(b.values)) === 0 && Buffer.compare(a.activity, b.activity) === 0;
}

function bytesOf({ buffer, byteOffset, byteLength }: Int32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
