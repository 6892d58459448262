import { ByteReader } from '../byte-reader.ts';
import { readCodebook } from './codebook-record.ts';
import { corruptPackage } from '../corrupt-package.ts';
import {
  codebookCountMax,
  indexMemoryBytesMax,
  mergedPackageWidthMax,
  mergedPackageWidthMin,
} from '../format-limits.ts';
import { isMergedFormat } from '../format-version.ts';
import { inflateExactly, MemoryBudget } from './header-delta.ts';
import { indexFlags } from './index-codes.ts';
import type { FormatVersion, PackageCodebook, PackageIndex } from '../package-index.ts';
import { FilesReader } from './read-files.ts';
import { readResidualCoding } from './residual-records.ts';

/** Length of a package id, in bytes. */
const idLengthBytes = 16;

/** Id of the ancestor, which decoding a delta's index needs; undefined for a base. Throws `corrupt-package`. */
export function readAncestorId(bytes: Uint8Array): string | undefined {
  return readFlags(new ByteReader(bytes)).ancestorId;
}

/**
 * Ids of the packages in the stored index of package `id`: one, or those of a merged package in order. Throws
 * `corrupt-package`.
 */
export function readPackageIds(
  bytes: Uint8Array,
  { id, formatVersion }: Pick<IndexContext, 'id' | 'formatVersion'>,
): readonly string[] {
  if (!isMergedFormat(formatVersion)) return [id];
  const reader = new ByteReader(bytes);
  readFlags(reader);
  return readMergedPackageIds(reader);
}

/** Data on a package from outside its index. */
export interface IndexContext {
  readonly id: string;
  readonly formatVersion: FormatVersion;
  readonly ancestor?: PackageIndex | undefined;
}

/**
 * Decodes a stored index of package `id`. A delta needs its ancestor's index. Pure. The caller must check that the
 * payloads fill the package. Throws `corrupt-package` for bytes that no encoder writes; allocates at most
 * `indexMemoryBytesMax` and a small multiple of the stored bytes.
 */
export function decodePackageIndex(bytes: Uint8Array, context: IndexContext): PackageIndex {
  if (isMergedFormat(context.formatVersion)) throw corruptPackage('a merged package is read as one package');
  const { ancestorId, body, budget } = openIndex(bytes, context);
  const codebookCount = body.varint(codebookCountMax, 'the number of codebooks');
  const tableSetCount = body.varint(codebookCount, 'the number of table sets');
  const codebooks = Array.from({ length: codebookCount }, () => readCodebook(body, tableSetCount));
  checkClasses(codebooks);
  const tableSets = Array.from({ length: tableSetCount }, () =>
    body.take(body.varint(body.remainingBytes, 'the length of a table set')),
  );
  const { formatVersion } = context;
  const residual = formatVersion >= 2 ? readResidualCoding(body) : undefined;
  const files = new FilesReader(body, { codebooks, formatVersion, ancestor: context.ancestor, budget }).read();
  body.end('the index');
  if (
    files.some(({ content }) => content.type === 'safetensors' && content.residuals !== undefined) !==
    (residual !== undefined)
  )
    throw corruptPackage('there are residual tensors without context tables, or tables without tensors');
  return {
    formatVersion,
    id: context.id,
    codebooks,
    tableSets,
    files,
    ...(residual !== undefined && { residual }),
    ...(ancestorId === undefined ? { kind: 'base' } : { kind: 'delta', ancestorId }),
  };
}

/** A stored index up to its body. */
export interface OpenedIndex {
  readonly ancestorId: string | undefined;
  /** For a merged package. */
  readonly packageIds: readonly string[];
  readonly body: ByteReader;
  /** Memory that decoding may still allocate. */
  readonly budget: MemoryBudget;
}

/** Inflates the body of a stored index. Throws `corrupt-package`, also if the given ancestor is the wrong one. */
export function openIndex(bytes: Uint8Array, { formatVersion, ancestor }: IndexContext): OpenedIndex {
  const reader = new ByteReader(bytes);
  const { ancestorId, deflated } = readFlags(reader);
  if (ancestorId !== ancestor?.id)
    throw corruptPackage(`the index names ancestor ${ancestorId ?? 'none'}, given was ${ancestor?.id ?? 'none'}`);
  const packageIds = isMergedFormat(formatVersion) ? readMergedPackageIds(reader) : [];
  const budget = new MemoryBudget(indexMemoryBytesMax);
  return { ancestorId, packageIds, body: new ByteReader(readBody(reader, deflated, budget)), budget };
}

function readMergedPackageIds(reader: ByteReader): string[] {
  const width = reader.u8();
  if (width < mergedPackageWidthMin || width > mergedPackageWidthMax)
    throw corruptPackage(`a merged package of ${width} checkpoints`);
  const ids = Array.from({ length: width }, () => Buffer.from(reader.take(idLengthBytes)).toString('hex'));
  if (new Set(ids).size !== width) throw corruptPackage('two checkpoints of a merged package have one id');
  return ids;
}

function readFlags(reader: ByteReader): { ancestorId: string | undefined; deflated: boolean } {
  const flags = reader.u8();
  if (flags > (indexFlags.delta | indexFlags.deflated)) throw corruptPackage('the index has unknown flags');
  const ancestorId =
    (flags & indexFlags.delta) === 0 ? undefined : Buffer.from(reader.take(idLengthBytes)).toString('hex');
  return { ancestorId, deflated: (flags & indexFlags.deflated) !== 0 };
}

function readBody(reader: ByteReader, deflated: boolean, budget: MemoryBudget): Uint8Array {
  if (!deflated) return reader.rest();
  const bodyBytes = reader.varint(indexMemoryBytesMax, 'the length of the index body');
  budget.charge(bodyBytes);
  return inflateExactly(reader.rest(), bodyBytes);
}

function checkClasses(codebooks: readonly PackageCodebook[]): void {
  const classes = new Set(codebooks.map((codebook) => `${codebook.layerType} ${codebook.dtype}`));
  if (classes.size !== codebooks.length) throw corruptPackage('two codebooks have the same layer type and dtype');
}
