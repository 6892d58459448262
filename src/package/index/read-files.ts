import { FirnError } from '../../checkpoint/firn-error.ts';
import { checkFilePath, pathLengthMax } from '../../checkpoint/names.ts';
import { parseSafetensorsHeader } from '../../checkpoint/safetensors/parse-safetensors.ts';
import type { SafetensorsLayout } from '../../checkpoint/safetensors/safetensors-layout.ts';
import { headerLengthBytes } from '../../checkpoint/safetensors/safetensors-limits.ts';
import { blockCountMin, payloadBytesMax, mergedPackagePayloadBytesMax } from '../blocks/block-bounds.ts';
import type { PlannedBlock } from '../blocks/block-plan.ts';
import type { ByteReader } from '../byte-reader.ts';
import { codingRuleOf } from '../codings/all-codings.ts';
import { checkCopies, checkKept } from '../blocks/copied-tensors.ts';
import { corruptPackage } from '../corrupt-package.ts';
import { copiedBlocksMax, fileBytesMax, fileCountMax } from '../format-limits.ts';
import { isMergedFormat } from '../format-version.ts';
import { readHeaderJson, type MemoryBudget } from './header-delta.ts';
import { contentCodes, pathFromAncestor } from './index-codes.ts';
import { matchBlocks } from '../blocks/match-blocks.ts';
import { checkNamedTensors } from '../blocks/named-tensors.ts';
import { checkNamesakes, listsNamesakes } from '../blocks/namesakes.ts';
import { prefixBytes } from '../package-frame.ts';
import {
  isBlockless,
  type BlockEntry,
  type FormatVersion,
  type PackageCodebook,
  type PackageFile,
  type PackageIndex,
  type SafetensorsContent,
  type TensorCoding,
} from '../package-index.ts';
import { planBlob, planFile, planTensors, type FilePlan } from '../blocks/plan-file.ts';
import { readNamesakes } from './namesake-records.ts';
import { readResidualTensors } from './residual-records.ts';
import { readSecondMoments } from './second-moments.ts';
import { readCodings } from './tensor-codings.ts';

/** Shortest block entry: one length byte and the checksum. */
const blockEntryBytesMin = 5;

export interface FileContext {
  readonly codebooks: readonly PackageCodebook[];
  readonly formatVersion: FormatVersion;
  readonly ancestor: PackageIndex | undefined;
  readonly budget: MemoryBudget;
  /** Offset of the first payload; after the prefix when absent. */
  readonly offsetBytes?: number;
  /**
   * Whether blocks share payloads with their previous blocks in the ancestor, and use the entries of those instead of
   * their own.
   */
  readonly sharesPayloads?: boolean;
}

/** A file of the ancestor and its number there. */
interface AncestorFile {
  readonly file: PackageFile;
  readonly number: number;
}

/**
 * Reads the files of an index; payload offsets continue from file to file. Throws `corrupt-package` for bytes that no
 * encoder writes.
 */
export class FilesReader {
  readonly #body: ByteReader;
  readonly #ctx: FileContext;
  readonly #files: PackageFile[] = [];
  #offsetBytes: number;
  #copiedBlocks = 0;

  constructor(body: ByteReader, ctx: FileContext) {
    this.#body = body;
    this.#ctx = ctx;
    this.#offsetBytes = ctx.offsetBytes ?? prefixBytes;
  }

  /** End of the payloads read so far. */
  get endBytes(): number {
    return this.#offsetBytes;
  }

  read(): PackageFile[] {
    const count = this.#body.varint(fileCountMax, 'the number of files');
    const files = this.#files;
    const paths = new Set<string>();
    for (let i = 0; i < count; i++) {
      const file = this.#file();
      if (paths.has(file.path)) throw corruptPackage('two files have one path');
      paths.add(file.path);
      files.push(file);
    }
    checkNamedTensors(files);
    return files;
  }

  #file(): PackageFile {
    const kind = this.#body.u8();
    const before = (kind & pathFromAncestor) === 0 ? undefined : this.#ancestorFile();
    const path = before?.file.path ?? this.#path();
    const sha256 = Buffer.from(this.#body.take(32)).toString('hex');
    switch (kind & ~pathFromAncestor) {
      case contentCodes.safetensors: {
        const content = this.#safetensors(path, before);
        return { path, sizeBytes: content.layout.sizeBytes, sha256, content };
      }
      case contentCodes.blob: {
        const sizeBytes = this.#size();
        return { path, sizeBytes, sha256, content: { type: 'blob', blocks: this.#blobBlocks(sizeBytes) } };
      }
      case contentCodes.external:
        return { path, sizeBytes: this.#size(), sha256, content: { type: 'external' } };
      default:
        throw corruptPackage('a file has an unknown kind of content');
    }
  }

  #size(): number {
    return this.#body.varint(fileBytesMax, 'the size of a file');
  }

  #ancestorFile(): AncestorFile {
    const number = this.#body.varint(fileCountMax, 'the number of an ancestor file');
    const file = this.#ctx.ancestor?.files[number];
    if (file === undefined) throw corruptPackage('a path refers to an ancestor file that is not there');
    return { file, number };
  }

  #path(): string {
    // A path's limit is in characters; a UTF-16 unit takes at most three bytes of UTF-8.
    const bytes = this.#body.take(this.#body.varint(3 * pathLengthMax, 'the length of a path'));
    try {
      return checkFilePath(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    } catch (error) {
      throw corruptPackage('a file has a path that is not allowed', error);
    }
  }

  #safetensors(path: string, before: AncestorFile | undefined): SafetensorsContent {
    const previous = before?.file.content.type === 'safetensors' ? before.file.content : undefined;
    const ancestorJson = previous?.layout.headerBytes.subarray(headerLengthBytes) ?? new Uint8Array(0);
    const layout = layoutOf(readHeaderJson(this.#body, ancestorJson, this.#ctx.budget));
    const { codebooks, formatVersion, ancestor } = this.#ctx;
    const withoutSecondMoments = readCodings(
      this.#body,
      layout.tensors.length,
      { codebooks, formatVersion, file: this.#files.length },
      previous && ancestor && { content: previous, codebooks: ancestor.codebooks },
    );
    const codings = readSecondMoments(this.#body, layout, withoutSecondMoments);
    const namesakes = listsNamesakes({ formatVersion, kind: ancestor === undefined ? 'base' : 'delta' })
      ? readNamesakes(this.#body, layout.tensors.length)
      : undefined;
    checkDtypes(layout, codings, codebooks);
    checkNamesakes({ layout, ...(namesakes !== undefined && { namesakes }) }, ancestor);
    checkCopies({ layout, codings }, this.#files);
    checkKept({ layout, codings }, ancestor);
    this.#copiedBlocks += blockCountMin(layout.tensors.filter((_, tensor) => isBlockless(codings[tensor]!)));
    if (this.#copiedBlocks > copiedBlocksMax)
      throw corruptPackage('a package has more copies than a reader may allocate for');
    if (
      blockCountMin(layout.tensors.filter((_, tensor) => !isBlockless(codings[tensor]!))) >
      this.#body.remainingBytes / blockEntryBytesMin + this.#sharedCount(path)
    )
      throw corruptPackage('a file has more blocks than the index');
    const residuals = readResidualTensors(
      this.#body,
      { layout, codings, ...(namesakes !== undefined && { namesakes }) },
      previous && { content: previous, file: before!.number },
    );
    const plan = planTensors(layout, codings);
    const blocks = this.#ctx.sharesPayloads === true ? this.#blocksWithSharedPayloads(plan, path) : this.#blocks(plan);
    return {
      ...{ type: 'safetensors', layout, codings, blocks },
      ...(residuals.size > 0 && { residuals }),
      ...(namesakes !== undefined && namesakes.size > 0 && { namesakes }),
    };
  }

  /** Number of a file's blocks that may lack an entry: those of the previous checkpoint in the merged package. */
  #sharedCount(path: string): number {
    const before =
      this.#ctx.sharesPayloads === true
        ? this.#ctx.ancestor?.files.find((file) => file.path === path)?.content
        : undefined;
    return before?.type === 'safetensors' ? before.blocks.length : 0;
  }

  #blobBlocks(sizeBytes: number): BlockEntry[] {
    if (blockCountMin([{ elementCount: sizeBytes }]) > this.#body.remainingBytes / blockEntryBytesMin)
      throw corruptPackage('a file has more blocks than the index');
    return this.#blocks(planBlob(sizeBytes));
  }

  #blocks(plan: FilePlan): BlockEntry[] {
    return plan.blocks.map((block) => this.#block(block));
  }

  /** Entries of all blocks; shared blocks have those of their previous blocks. */
  #blocksWithSharedPayloads(plan: FilePlan, path: string): BlockEntry[] {
    const number =
      this.#ctx.ancestor?.files.findIndex(
        (candidate) => candidate.path === path && candidate.content.type === 'safetensors',
      ) ?? -1;
    const file = this.#ctx.ancestor?.files[number];
    const planBefore = file && planFile(file);
    const matches = planBefore && matchBlocks({ plan: planBefore, codebooks: [], number }, { plan, codebooks: [] });
    return plan.blocks.map((block, number) => {
      if (!codingRuleOf(block.coding).isShared) return this.#block(block);
      const shared = file?.content.type === 'safetensors' ? file.content.blocks[matches?.[number] ?? -1] : undefined;
      if (shared === undefined) throw corruptPackage('a shared block of a merged package has no block before it');
      return shared;
    });
  }

  #block(block: PlannedBlock): BlockEntry {
    const lengthBytes = this.#body.varint(
      isMergedFormat(this.#ctx.formatVersion) ? mergedPackagePayloadBytesMax(block) : payloadBytesMax(block),
      'the length of a payload',
    );
    if (lengthBytes === 0) throw corruptPackage('a payload is empty');
    const offsetBytes = this.#offsetBytes;
    this.#offsetBytes += lengthBytes;
    return { offsetBytes, lengthBytes, crc32c: this.#body.u32() };
  }
}

function layoutOf(json: Uint8Array): SafetensorsLayout {
  const headerBytes = new Uint8Array(headerLengthBytes + json.length);
  new DataView(headerBytes.buffer).setBigUint64(0, BigInt(json.length), true);
  headerBytes.set(json, headerLengthBytes);
  try {
    return parseSafetensorsHeader(headerBytes);
  } catch (error) {
    if (error instanceof FirnError) throw corruptPackage('a stored safetensors header is not valid', error);
    throw error;
  }
}

function checkDtypes(
  layout: SafetensorsLayout,
  codings: readonly TensorCoding[],
  codebooks: readonly PackageCodebook[],
): void {
  layout.tensors.forEach((tensor, i) => {
    const coding = codings[i]!;
    if (!isBlockless(coding)) codingRuleOf(coding).checkTensor(tensor, coding, codebooks);
  });
}
