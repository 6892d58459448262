import { createHash } from 'node:crypto';
import { parseSafetensorsHeader } from '../../src/checkpoint/safetensors/parse-safetensors.ts';
import { Ancestor } from '../../src/compress/ancestor/ancestor.ts';
import { encodePackage, type EncodedCheckpoint } from '../../src/compress/encode/encode-package.ts';
import { ModelSource } from '../../src/compress/upload/model-source.ts';
import { SymbolCache } from '../../src/compress/method/residual/lattice/symbol-cache.ts';
import { planCodings, type CodingPlan } from '../../src/compress/plan/plan-codings.ts';
import type { QuantizedModel } from '../../src/compress/method/quantized-model.ts';
import { residualMethod } from '../../src/compress/method/residual/residual-method.ts';
import { residualQuantization } from '../../src/compress/method/residual/residual-quantization.ts';
import { layerTypesFor } from '../../src/graph/layers/layer-types-for.ts';
import type { NativeCore } from '../../src/native/core.ts';
import { planTensors } from '../../src/package/blocks/plan-file.ts';
import { digestBytes } from '../../src/restore/digest-bytes.ts';
import type { PackageChain } from '../../src/restore/chain/package-chain.ts';
import { planRange } from '../../src/restore/range/plan-range.ts';
import { Restorer, type PackageLocation } from '../../src/restore/restorer.ts';
import { streamRange } from '../../src/restore/range/stream-range.ts';
import { MemoryObjects } from './memory-objects.ts';

/** The hub's default size of caches, in bytes. */
const cacheMaxBytes = 64 * 1024 * 1024;
/** Blocks processed at once, as in a hub with one thread. */
const parallel = 4;
const modelPath = 'model.safetensors';
/** Digest of a file when nobody reads it. */
const noDigest = ''.padStart(64, '0');

export interface StoredStep extends PackageLocation {
  readonly encoded: EncodedCheckpoint;
  readonly model: QuantizedModel;
}

/** A checkpoint that was read and planned, ready to be quantized. */
export interface PlannedCheckpoint {
  readonly source: ModelSource;
  readonly plan: CodingPlan;
}

/** Checkpoints of one model, coded with a given step into packages in memory, through the code that the hub runs. */
export class StoredSeries {
  readonly #core: NativeCore;
  readonly #store = new MemoryObjects();
  readonly #step: number;
  readonly #symbolCache = new SymbolCache(cacheMaxBytes);

  constructor(core: NativeCore, step: number) {
    this.#core = core;
    this.#step = step;
  }

  async plan(file: Uint8Array, name: string): Promise<PlannedCheckpoint> {
    this.#store.keep(name, file);
    const layout = parseSafetensorsHeader(file, file.length);
    const reader = await this.#store.open(name);
    const entry = {
      path: modelPath,
      role: 'model',
      type: 'safetensors',
      sizeBytes: file.length,
      sha256: noDigest,
      layout,
      reader,
    } as const;
    const source = new ModelSource([entry], new Map(), this.#core, cacheMaxBytes);
    return {
      source,
      plan: await planCodings(source, layerTypesFor({ tensors: layout.tensors }), {
        parallel,
        codingOf: residualMethod.codingOf,
      }),
    };
  }

  /** Releases the memory of a planned checkpoint. */
  forget(name: string): void {
    void this.#store.delete(name);
  }

  /**
   * Quantizes and encodes against the chain, newest first; an empty chain makes a base. Stores the package under its
   * number.
   */
  async encode({ source, plan }: PlannedCheckpoint, number: number, chain: readonly StoredStep[]): Promise<StoredStep> {
    const opened = chain.length === 0 ? undefined : await this.open(chain);
    const ancestor = opened && new Ancestor(opened, source.files, plan);
    const config = { method: 'residual', step: this.#step } as const;
    const quantization = await residualQuantization({
      source,
      plan,
      ancestor,
      core: this.#core,
      last: config,
      warn: () => undefined,
      symbolCache: this.#symbolCache,
      rounding: 'archive',
      parallel,
    });
    const model = await quantization.quantize(config);
    const id = number.toString(16).padStart(32, '0');
    const encoded = await encodePackage(
      {
        packageId: id,
        source,
        plan,
        quantized: model,
        external: new Set(),
        sha256: [noDigest],
        ...(ancestor && { ancestor }),
      },
      { store: this.#store, key: id, sizeMaxBytes: 2 * source.files[0]!.sizeBytes, replace: true },
      this.#core,
      { parallel },
    );
    this.#symbolCache.clear();
    await opened?.close();
    const { index, object, indexOffsetBytes, indexLengthBytes } = encoded.written;
    return {
      id,
      key: id,
      sizeBytes: object.sizeBytes,
      indexOffsetBytes,
      indexLengthBytes,
      ancestorId: index.ancestorId,
      encoded,
      model,
    };
  }

  /** With new caches. */
  open(chain: readonly StoredStep[]): Promise<PackageChain> {
    const restorer = new Restorer({
      core: this.#core,
      store: this.#store,
      indexCacheBytesMax: cacheMaxBytes,
      blockCacheBytesMax: cacheMaxBytes,
    });
    return restorer.open(chain);
  }

  /** Restores the newest package's model to a reader in memory. */
  async restore(chain: readonly StoredStep[], read: (piece: Uint8Array) => void = () => undefined): Promise<void> {
    const opened = await this.open(chain);
    try {
      for await (const piece of opened.file(modelPath).passing()) read(piece);
    } finally {
      await opened.close();
    }
  }

  /** Rejects unless the packages decode to the elements that were encoded. */
  async check({ source, plan }: PlannedCheckpoint, chain: readonly StoredStep[]): Promise<void> {
    const { layout, sizeBytes } = source.files[0]!;
    const { codings, blocks } = plan.files[0]!;
    const range = planRange(layout, planTensors(layout, codings), 0, sizeBytes);
    const elements = (index: number): Promise<Uint8Array> =>
      chain[0]!.model.elements({ file: 0, index, block: blocks[index]! });
    const meant = await digestBytes(streamRange({ headerBytes: layout.headerBytes, elements }, range));
    const hash = createHash('sha256');
    await this.restore(chain, (piece) => hash.update(piece));
    if (hash.digest('hex') !== meant.sha256) throw new Error('a package does not give back what was encoded');
  }
}
