import type { JointSymbols } from '../../native/core.ts';
import type { ByteReader } from '../byte-reader.ts';
import { corruptPackage } from '../corrupt-package.ts';
import { openIndex, type OpenedIndex } from './decode-index.ts';
import { mergedJointSymbolsMax } from '../format-limits.ts';
import type { PackageIndex, MergedPackage } from '../package-index.ts';
import { FilesReader } from './read-files.ts';
import { readContextTables, readStepScales } from './residual-records.ts';

/** Largest symbol of a move. */
const symbolMax = 31;

/**
 * Decodes the index of a merged package: the index of each of its checkpoints, oldest first, as it was in a package of
 * its own but for where payloads are. Needs the index of the first one's ancestor. Pure. Whether the payloads fill the
 * package is the caller's to check. Throws `corrupt-package` as `decodePackageIndex`.
 */
export function decodeMergedPackageIndex(
  bytes: Uint8Array,
  { id, ancestor }: { readonly id: string; readonly ancestor?: PackageIndex | undefined },
): PackageIndex[] {
  if (ancestor === undefined) throw corruptPackage('a merged package has no ancestor');
  const opened = openIndex(bytes, { id, formatVersion: 3, ancestor });
  const { body, packageIds } = opened;
  if (packageIds.includes(ancestor.id)) throw corruptPackage('a merged package has its own ancestor in it');
  const mergedPackage = { id, packageIds, jointSymbols: readJointSymbols(body, packageIds.length) };
  const tables = readContextTables(body);
  if (tables === undefined) throw corruptPackage('a merged package has no context tables');
  const indexes: PackageIndex[] = [];
  let offsetBytes: number | undefined;
  for (const position of packageIds.keys()) {
    const read = readPart(opened, { mergedPackage, tables, position, before: indexes.at(-1) ?? ancestor, offsetBytes });
    indexes.push(read.index);
    offsetBytes = read.endBytes;
  }
  body.end('the index');
  return indexes;
}

interface PartContext {
  readonly mergedPackage: MergedPackage;
  readonly tables: Uint8Array;
  readonly position: number;
  readonly before: PackageIndex;
  /** Where its payloads begin. */
  readonly offsetBytes: number | undefined;
}

function readPart(
  { body, budget }: OpenedIndex,
  { mergedPackage, tables, position, before, offsetBytes }: PartContext,
): { index: PackageIndex; endBytes: number } {
  const scales = readStepScales(body);
  const reader = new FilesReader(body, {
    codebooks: [],
    formatVersion: 3,
    ancestor: before,
    budget,
    sharesResidualPayloads: position > 0,
    ...(offsetBytes !== undefined && { offsetBytes }),
  });
  const files = reader.read();
  if (!files.some(({ content }) => content.type === 'safetensors' && content.residuals !== undefined))
    throw corruptPackage('a checkpoint of a merged package has no residual tensors');
  const index: PackageIndex = {
    formatVersion: 3,
    kind: 'delta',
    id: mergedPackage.packageIds[position]!,
    ancestorId: before.id,
    codebooks: [],
    tableSets: [],
    residual: { tables, scales },
    files,
    part: { mergedPackage, position },
  };
  return { index, endBytes: reader.endBytes };
}

function readJointSymbols(body: ByteReader, width: number): JointSymbols {
  const count = body.varint(mergedJointSymbolsMax, 'the number of joint symbols');
  if (count === 0) throw corruptPackage('a merged package lists no joint symbols');
  const symbols = body.take(count * width);
  if (symbols.some((symbol) => symbol > symbolMax)) throw corruptPackage('a tuple has a symbol that does not exist');
  return { symbols, width };
}
