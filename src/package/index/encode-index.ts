import { deflateRawSync } from 'node:zlib';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { headerLengthBytes } from '../../checkpoint/safetensors/safetensors-limits.ts';
import { ByteWriter } from '../byte-writer.ts';
import { codingRuleOf } from '../codings/all-codings.ts';
import { writeCodebook } from './codebook-record.ts';
import { codebookCountMax, fileCountMax } from '../format-limits.ts';
import { writeHeaderJson } from './header-delta.ts';
import { contentCodes, indexFlags, pathFromAncestor } from './index-codes.ts';
import { idBytes } from '../package-frame.ts';
import type { BlockEntry, PackageFile, PackageIndex } from '../package-index.ts';
import { listsNamesakes } from '../blocks/namesakes.ts';
import { planFile } from '../blocks/plan-file.ts';
import { writeNamesakes } from './namesake-records.ts';
import { writeResidualCoding, writeResidualTensors } from './residual-records.ts';
import { writeSecondMoments } from './second-moments.ts';
import { writeCodings } from './tensor-codings.ts';

/**
 * Serialises an index (docs/format.md, "Index"). A delta needs its ancestor's index. Block offsets are not written:
 * payloads follow the prefix in the order of the entries. Pure. Throws `internal` for an index that the format cannot
 * represent.
 */
export function encodePackageIndex(index: PackageIndex, ancestor?: PackageIndex): Uint8Array {
  if ((index.kind === 'delta') !== (ancestor !== undefined) || index.ancestorId !== ancestor?.id) {
    throw new FirnError('internal', 'A delta is encoded with the index of its ancestor, a base without one.');
  }
  if (
    index.codebooks.length > codebookCountMax ||
    index.tableSets.length > index.codebooks.length ||
    index.files.length > fileCountMax
  ) {
    throw new FirnError('internal', 'The package has too many codebooks, table sets or files.');
  }
  return sealIndex(encodeBody(index, ancestor), { ancestorId: ancestor?.id });
}

/** An index of this body, deflated if that is shorter; `packageIds`: for a merged package, as stored. */
export function sealIndex(
  body: Uint8Array,
  head: { readonly ancestorId: string | undefined; readonly packageIds?: Uint8Array },
): Uint8Array {
  const deflated = deflateRawSync(body, { level: 9, memLevel: 9 });
  const sized = new ByteWriter().varint(body.length).append(deflated).finish();
  const flags = head.ancestorId === undefined ? 0 : indexFlags.delta;
  const writer = new ByteWriter().u8(sized.length < body.length ? flags | indexFlags.deflated : flags);
  if (head.ancestorId !== undefined) writer.append(idBytes(head.ancestorId));
  if (head.packageIds !== undefined) writer.append(head.packageIds);
  return writer.append(sized.length < body.length ? sized : body).finish();
}

function encodeBody(index: PackageIndex, ancestor: PackageIndex | undefined): Uint8Array {
  const writer = new ByteWriter();
  writer.varint(index.codebooks.length).varint(index.tableSets.length);
  for (const codebook of index.codebooks) writeCodebook(writer, codebook);
  for (const tables of index.tableSets) writer.varint(tables.length).append(tables);
  if (index.formatVersion >= 2) writeResidualCoding(writer, index.residual);
  writeFiles(writer, { index, ancestor });
  return writer.finish();
}

export interface FilesToWrite {
  readonly index: PackageIndex;
  readonly ancestor: PackageIndex | undefined;
  /** See FileContext of read-files.ts. */
  readonly sharesPayloads?: boolean;
}

/** The files of an index; FilesReader reads them. */
export function writeFiles(writer: ByteWriter, files: FilesToWrite): void {
  const { index, ancestor } = files;
  writer.varint(index.files.length);
  const numbers = new Map(ancestor?.files.map((file, number) => [file.path, number]));
  for (const [number, file] of index.files.entries())
    writeFile(writer, { ...files, file, number, ancestorFile: numbers.get(file.path) });
}

interface FileContext extends FilesToWrite {
  readonly file: PackageFile;
  readonly number: number;
  /** Number of the ancestor's file with this path. */
  readonly ancestorFile: number | undefined;
}

function writeFile(
  writer: ByteWriter,
  { file, number, index, ancestor, ancestorFile, sharesPayloads = false }: FileContext,
): void {
  if (ancestorFile === undefined) {
    const path = new TextEncoder().encode(file.path);
    writer.u8(contentCodes[file.content.type]).varint(path.length).append(path);
  } else {
    writer.u8(contentCodes[file.content.type] | pathFromAncestor).varint(ancestorFile);
  }
  writer.append(Buffer.from(file.sha256, 'hex'));
  if (file.content.type !== 'safetensors') writer.varint(file.sizeBytes);
  if (file.content.type === 'external') return;
  if (file.content.type === 'safetensors') {
    const other = ancestorFile === undefined ? undefined : ancestor?.files[ancestorFile]?.content;
    const before = other?.type === 'safetensors' ? { content: other, file: ancestorFile! } : undefined;
    const ancestorJson = before?.content.layout.headerBytes.subarray(headerLengthBytes) ?? new Uint8Array(0);
    writeHeaderJson(writer, file.content.layout.headerBytes.subarray(headerLengthBytes), ancestorJson);
    writeCodings(
      writer,
      file.content.codings,
      { codebooks: index.codebooks, file: number },
      before && ancestor && { content: before.content, codebooks: ancestor.codebooks },
    );
    writeSecondMoments(writer, file.content.codings);
    if (listsNamesakes(index)) writeNamesakes(writer, file.content.namesakes);
    else if (file.content.namesakes !== undefined)
      throw new FirnError('internal', 'A package of this version or kind cannot list namesakes.');
    writeResidualTensors(writer, file.content, before);
  }
  writeBlocks(writer, sharesPayloads ? ownBlocks(file) : file.content.blocks);
}

function writeBlocks(writer: ByteWriter, blocks: readonly BlockEntry[]): void {
  for (const block of blocks) writer.varint(block.lengthBytes).u32(block.crc32c);
}

/** Entries of all blocks that are not shared by the checkpoints of a merged package. */
function ownBlocks(file: PackageFile): BlockEntry[] {
  const entries = file.content.type === 'external' ? [] : file.content.blocks;
  const blocks = planFile(file)?.blocks ?? [];
  return entries.filter((_, number) => !codingRuleOf(blocks[number]!.coding).isShared);
}
