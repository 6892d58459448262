import type { JointSymbols } from '../../native/core.ts';
import type { ByteReader } from '../byte-reader.ts';
import { corruptPackage } from '../corrupt-package.ts';
import { openIndex, type OpenedIndex } from './decode-index.ts';
import { mergedJointSymbolsMax } from '../format-limits.ts';
import type { MergedFormatVersion } from '../format-version.ts';
import type { MergedPackage, PackageFile, PackageIndex } from '../package-index.ts';
import { FilesReader } from './read-files.ts';
import { readContextTables, readStepScales } from './residual-records.ts';

/** Largest symbol of a move. */
const symbolMax = 31;

/**
 * Decodes the index of a merged package into the indexes of its checkpoints, oldest first. Each is as it was in a
 * package of its own, except for the places of payloads. Needs the index of the first one's ancestor. Pure. The caller
 * must check that the payloads fill the package. Throws `corrupt-package` like `decodePackageIndex`.
 */
export function decodeMergedPackageIndex(
  bytes: Uint8Array,
  { id, formatVersion, ancestor }: MergedContext,
): PackageIndex[] {
  if (ancestor === undefined) throw corruptPackage('a merged package has no ancestor');
  const opened = openIndex(bytes, { id, formatVersion, ancestor });
  const { body, packageIds } = opened;
  if (packageIds.includes(ancestor.id)) throw corruptPackage('a merged package has its own ancestor in it');
  const isResidual = formatVersion === 3;
  const mergedPackage = {
    ...{ id, packageIds },
    ...(isResidual && { jointSymbols: readJointSymbols(body, packageIds.length) }),
  };
  const tables = isResidual ? readTables(body) : undefined;
  const indexes: PackageIndex[] = [];
  let offsetBytes: number | undefined;
  for (const position of packageIds.keys()) {
    const read = readPart(opened, {
      ...{ formatVersion, mergedPackage, tables, position, offsetBytes },
      before: indexes.at(-1) ?? ancestor,
    });
    indexes.push(read.index);
    offsetBytes = read.endBytes;
  }
  body.end('the index');
  return indexes;
}

export interface MergedContext {
  readonly id: string;
  readonly formatVersion: MergedFormatVersion;
  readonly ancestor?: PackageIndex | undefined;
}

interface PartContext {
  readonly formatVersion: MergedFormatVersion;
  readonly mergedPackage: MergedPackage;
  /** Of residual blocks. */
  readonly tables: Uint8Array | undefined;
  readonly position: number;
  readonly before: PackageIndex;
  /** Offset of its first payload. */
  readonly offsetBytes: number | undefined;
}

function readPart(
  { body, budget }: OpenedIndex,
  { formatVersion, mergedPackage, tables, position, before, offsetBytes }: PartContext,
): { index: PackageIndex; endBytes: number } {
  const residual = tables && { tables, scales: readStepScales(body) };
  const reader = new FilesReader(body, {
    codebooks: [],
    formatVersion,
    ancestor: before,
    budget,
    sharesPayloads: position > 0,
    ...(offsetBytes !== undefined && { offsetBytes }),
  });
  const files = reader.read();
  const hasResiduals = files.some(({ content }) => content.type === 'safetensors' && content.residuals !== undefined);
  if (hasResiduals !== (residual !== undefined))
    throw corruptPackage('a checkpoint of a merged package has no residual tensors, or some where none may be');
  if (residual === undefined && !files.some(hasBuckets))
    throw corruptPackage('a checkpoint of a merged package has no tensors in buckets');
  const index: PackageIndex = {
    formatVersion,
    kind: 'delta',
    id: mergedPackage.packageIds[position]!,
    ancestorId: before.id,
    codebooks: [],
    tableSets: [],
    ...(residual !== undefined && { residual }),
    files,
    part: { mergedPackage, position },
  };
  return { index, endBytes: reader.endBytes };
}

function hasBuckets({ content }: PackageFile): boolean {
  return content.type === 'safetensors' && content.codings.some(({ kind }) => kind === 'buckets');
}

function readTables(body: ByteReader): Uint8Array {
  const tables = readContextTables(body);
  if (tables === undefined) throw corruptPackage('a merged package has no context tables');
  return tables;
}

function readJointSymbols(body: ByteReader, width: number): JointSymbols {
  const count = body.varint(mergedJointSymbolsMax, 'the number of joint symbols');
  if (count === 0) throw corruptPackage('a merged package lists no joint symbols');
  const symbols = body.take(count * width);
  if (symbols.some((symbol) => symbol > symbolMax))
    throw corruptPackage('a joint symbol has a symbol that does not exist');
  return { symbols, width };
}
