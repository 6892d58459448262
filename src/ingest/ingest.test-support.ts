import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Repository } from '../catalog/contract/repository-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import { pendingDeletionKeys } from '../catalog/records/pending-deletion-keys.test-support.ts';
import { openTestCatalog } from '../catalog/test-catalog.test-support.ts';
import type { Dtype } from '../checkpoint/dtype.ts';
import { buildSafetensorsHeader } from '../checkpoint/safetensors/safetensors-header.ts';
import { defaultSearchOptions } from '../checkpoint/options/search-options.ts';
import { openFilesystemStore } from '../store/filesystem/filesystem-store.ts';
import { referenceCrc32c } from '../store/object-store.reference.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { createIngestContext, type IngestContext } from './ingest-context.ts';
import type { IngestLimits } from './ingest-limits.ts';
import type { Upload } from './stage/upload.ts';

/** A real catalog and a real store; the test controls the clock. */
export interface IngestHarness {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly repository: Repository;
  /** Over the same catalog and store, with other limits or another store. */
  context(limits?: Partial<IngestLimits>, store?: ObjectStore): IngestContext;
  newRun(overrides?: Partial<Parameters<Catalog['runs']['create']>[0]>): Promise<Run>;
  /** Keys of all objects that are not pending deletion, and all unfinished files. */
  everything(): Promise<string[]>;
  /** Moves the clock of `context` forward. */
  pass(ms: number): void;
  close(): Promise<void>;
}

export async function openIngestHarness(): Promise<IngestHarness> {
  const folder = await mkdtemp(path.join(tmpdir(), 'firn-ingest-'));
  const catalog = await openTestCatalog();
  const store = await openFilesystemStore({ folder, crc32c: referenceCrc32c });
  const repository = await catalog.repositories.create({ namespace: 'acme', name: 'gpt', type: 'model' });
  let names = 0;
  let keys = 0;
  let passedMs = 0;
  return {
    catalog,
    store,
    repository,
    context: (limits = {}, other = store) =>
      createIngestContext({
        catalog,
        store: other,
        limits,
        now: async () => new Date(Date.now() + passedMs),
        newKeyPart: () => (keys++).toString(16).padStart(32, '0'),
      }),
    newRun: (overrides = {}) =>
      catalog.runs.create({
        repositoryId: repository.id,
        name: `run-${names++}`,
        fidelity: 'exact',
        thresholds: {},
        search: defaultSearchOptions,
        seed: '1',
        layerTypes: {},
        ...overrides,
      }),
    async everything() {
      const found = await readdir(path.join(folder, 'tmp'));
      const pending = await pendingDeletionKeys(catalog);
      for await (const { key } of store.list('')) if (!pending.has(key)) found.push(key);
      return found.sort();
    },
    pass(ms) {
      passedMs += ms;
    },
    async close() {
      await catalog.close();
      await rm(folder, { recursive: true });
    },
  };
}

export type TestTensor = readonly [name: string, dtype: Dtype, shape: readonly number[]];

/** A safetensors file whose data bytes are all `fill`. */
export function safetensorsFile(tensors: readonly TestTensor[], fill = 0): Buffer {
  const layout = buildSafetensorsHeader(tensors.map(([name, dtype, shape]) => ({ name, dtype, shape })));
  return Buffer.concat([layout.headerBytes, Buffer.alloc(layout.sizeBytes - layout.headerBytes.length, fill)]);
}

/** The bytes as an upload with its length announced, in pieces that match no boundary. */
export function uploadOf(bytes: Uint8Array, announced: Partial<Upload> = { lengthBytes: bytes.length }): Upload {
  return { body: piecesOf(bytes), ...announced };
}

export async function* piecesOf(bytes: Uint8Array, pieceBytes = 1009): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** A body that fails any test that reads it. */
export const unreadBody: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]() {
    throw new Error('the body was read');
  },
};
