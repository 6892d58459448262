import { FirnError } from '../checkpoint/firn-error.ts';
import type { ObjectStore, StoredObject } from '../store/object-store.ts';
import { encodePackageIndex } from './index/encode-index.ts';
import {
  encodePrefix,
  encodeTrailer,
  prefixBytes,
  trailerBytes,
  type Crc32c,
  type IndexLocation,
} from './package-frame.ts';
import type { BlockEntry, FormatVersion, PackageFile, PackageIndex } from './package-index.ts';
import { planFile, type ContentToPlan } from './blocks/plan-file.ts';

/** An index without block entries; the writer fills these in. */
export interface PackageDraft extends Omit<PackageIndex, 'files'> {
  readonly files: readonly DraftFile[];
}
export interface DraftFile extends Omit<PackageFile, 'content'> {
  readonly content: ContentToPlan;
}

export interface PackageToWrite {
  readonly id: string;
  readonly formatVersion: FormatVersion;
  /** Index of the ancestor, for a delta. */
  readonly ancestor?: PackageIndex | undefined;
  /**
   * One payload per planned block (`planFile`), file after file. The store pulls them as it takes bytes, so memory is
   * bounded by what the producer prepares ahead.
   */
  readonly payloads: AsyncIterable<Uint8Array>;
  /** Called once, after the last payload: digests of rebuilt files may be known only then. */
  readonly draft: () => PackageDraft | Promise<PackageDraft>;
}

export interface WrittenPackage extends IndexLocation {
  readonly index: PackageIndex;
  readonly object: StoredObject;
}

export interface WriteTarget {
  readonly store: ObjectStore;
  readonly key: string;
  readonly sizeMaxBytes: number;
  readonly replace?: boolean;
  readonly crc32c: Crc32c;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Streams a package to the store: prefix, payloads, index, trailer (docs/format.md). All or nothing. Rejects with the
 * store's errors, the producer's, or `internal` when payloads and plan differ in number.
 */
export async function writePackage(target: WriteTarget, content: PackageToWrite): Promise<WrittenPackage> {
  const { result, ...written } = await writeFrame(target, {
    ...content,
    seal: async (entries) => {
      const index = fillEntries(await content.draft(), entries);
      return { indexBytes: encodePackageIndex(index, content.ancestor), result: index };
    },
  });
  return { ...written, index: result };
}

/** A package for which only payloads and a function that makes the index are given. */
export interface FrameToWrite<Result> {
  readonly id: string;
  readonly formatVersion: FormatVersion;
  readonly payloads: AsyncIterable<Uint8Array>;
  /** Called once, after the last payload, with the entries of all payloads in order. */
  readonly seal: (
    entries: readonly BlockEntry[],
  ) => Promise<{ readonly indexBytes: Uint8Array; readonly result: Result }>;
}

/** `writePackage` for any kind of index. */
export async function writeFrame<Result>(
  target: WriteTarget,
  content: FrameToWrite<Result>,
): Promise<IndexLocation & { readonly result: Result; readonly object: StoredObject }> {
  const { store, key, sizeMaxBytes, replace, crc32c, signal } = target;
  let written: ({ result: Result } & IndexLocation) | undefined;
  const body = frameBytesOf(content, crc32c, (done) => {
    written = done;
  });
  const object = await store.put(key, body, {
    sizeMaxBytes,
    ...(replace === undefined ? {} : { replace }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (written === undefined) throw new FirnError('internal', 'The store stopped reading a package before its end.');
  return { ...written, object };
}

async function* frameBytesOf<Result>(
  content: FrameToWrite<Result>,
  crc32c: Crc32c,
  done: (written: { result: Result } & IndexLocation) => void,
): AsyncGenerator<Uint8Array> {
  const prefix = encodePrefix(content.id, content.formatVersion);
  yield prefix;
  const entries: BlockEntry[] = [];
  let offsetBytes = prefixBytes;
  for await (const payload of content.payloads) {
    entries.push({ offsetBytes, lengthBytes: payload.length, crc32c: crc32c(payload) });
    offsetBytes += payload.length;
    yield payload;
  }
  const { indexBytes, result } = await content.seal(entries);
  yield indexBytes;
  yield encodeTrailer(prefix, indexBytes, offsetBytes, crc32c);
  done({ result, indexOffsetBytes: offsetBytes, indexLengthBytes: indexBytes.length });
}

/** Bytes of a package besides its payloads, for estimates before it is written. */
export function frameBytes(index: PackageIndex, ancestor?: PackageIndex): number {
  return prefixBytes + encodePackageIndex(index, ancestor).length + trailerBytes;
}

function fillEntries(draft: PackageDraft, entries: readonly BlockEntry[]): PackageIndex {
  let at = 0;
  const files = draft.files.map((file): PackageFile => {
    const count = planFile(file)?.blocks.length ?? 0;
    const blocks = entries.slice(at, at + count);
    at += count;
    return { ...file, content: file.content.type === 'external' ? file.content : { ...file.content, blocks } };
  });
  if (at !== entries.length)
    throw new FirnError('internal', 'The package has another number of payloads than its plan.', {
      detail: `${entries.length} payloads, ${at} blocks`,
    });
  return { ...draft, files };
}
