import { FirnError } from '../checkpoint/firn-error.ts';
import { isQuantizable } from '../checkpoint/dtype.ts';
import { checkFilePath, pathLengthMax } from '../checkpoint/names.ts';
import { parseSafetensorsHeader } from '../checkpoint/parse-safetensors.ts';
import type { SafetensorsLayout } from '../checkpoint/safetensors-layout.ts';
import { headerLengthBytes } from '../checkpoint/safetensors-limits.ts';
import { blockCountMin, payloadBytesMax } from './block-bounds.ts';
import { ByteReader } from './byte-reader.ts';
import { readCodebook } from './codebook-record.ts';
import { corruptPackage } from './corrupt-package.ts';
import { codebookCountMax, fileBytesMax, fileCountMax, indexMemoryBytesMax } from './format-limits.ts';
import { inflateExactly, MemoryBudget, readHeaderJson } from './header-delta.ts';
import { contentCodes, indexFlags, pathFromAncestor } from './index-codes.ts';
import { prefixBytes } from './package-frame.ts';
import type { BlockEntry, FormatVersion, PackageCodebook, PackageFile, PackageIndex, SafetensorsContent, TensorCoding } from './package-index.ts';
import { planBlob, planTensors, type FilePlan } from './plan-file.ts';
import { readResidualCoding, readResidualTensors } from './residual-records.ts';
import { readCodings } from './tensor-codings.ts';

/** Shortest block entry: one length byte and the checksum. */
const blockEntryBytesMin = 5;

/** The ancestor a delta's index must be decoded with; undefined for a base. Throws `corrupt-package`. */
export function readAncestorId(bytes: Uint8Array): string | undefined {
  return readHead(new ByteReader(bytes)).ancestorId;
}

/** What of a package is known from outside its index. */
export interface IndexContext {
  readonly id: string;
  readonly formatVersion: FormatVersion;
  readonly ancestor?: PackageIndex | undefined;
}

/**
 * Decodes a stored index of package `id`. A delta needs its ancestor's index. Pure. Whether the payloads fill the package is the caller's to check.
 * Throws `corrupt-package` for bytes no encoder writes; allocates at most `indexMemoryBytesMax` and a small multiple of the stored bytes.
 */
export function decodePackageIndex(bytes: Uint8Array, context: IndexContext): PackageIndex {
  const reader = new ByteReader(bytes);
  const head = readHead(reader);
  if (head.ancestorId !== context.ancestor?.id)
    throw corruptPackage(`the index names ancestor ${head.ancestorId ?? 'none'}, given was ${context.ancestor?.id ?? 'none'}`);
  const budget = new MemoryBudget(indexMemoryBytesMax);
  const body = new ByteReader(readBody(reader, head.deflated, budget));
  const codebookCount = body.varint(codebookCountMax, 'the number of codebooks');
  const tableSetCount = body.varint(codebookCount, 'the number of table sets');
  const codebooks = Array.from({ length: codebookCount }, () => readCodebook(body, tableSetCount));
  checkClasses(codebooks);
  const tableSets = Array.from({ length: tableSetCount }, () => body.take(body.varint(body.remainingBytes, 'the length of a table set')));
  const { formatVersion } = context;
  const residual = formatVersion >= 2 ? readResidualCoding(body) : undefined;
  const files = new FilesReader(body, { codebooks, formatVersion, ancestor: context.ancestor, budget }).read();
  if (files.some(({ content }) => content.type === 'safetensors' && content.residuals !== undefined) !== (residual !== undefined))
    throw corruptPackage('there are residual tensors without context tables, or tables without tensors');
  return {
    formatVersion,
    id: context.id,
    codebooks,
    tableSets,
    files,
    ...(residual !== undefined && { residual }),
    ...(head.ancestorId === undefined ? { kind: 'base' } : { kind: 'delta', ancestorId: head.ancestorId }),
  };
}

function readHead(reader: ByteReader): { ancestorId: string | undefined; deflated: boolean } {
  const flags = reader.u8();
  if (flags > (indexFlags.delta | indexFlags.deflated)) throw corruptPackage('the index has unknown flags');
  const ancestorId = (flags & indexFlags.delta) === 0 ? undefined : Buffer.from(reader.take(16)).toString('hex');
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

interface FileContext {
  readonly codebooks: readonly PackageCodebook[];
  readonly formatVersion: FormatVersion;
  readonly ancestor: PackageIndex | undefined;
  readonly budget: MemoryBudget;
}

/** Reads the files of a body; payload offsets run through all of them. */
class FilesReader {
  readonly #body: ByteReader;
  readonly #ctx: FileContext;
  #offsetBytes = prefixBytes;

  constructor(body: ByteReader, ctx: FileContext) {
    this.#body = body;
    this.#ctx = ctx;
  }

  read(): PackageFile[] {
    const count = this.#body.varint(fileCountMax, 'the number of files');
    const files: PackageFile[] = [];
    const paths = new Set<string>();
    for (let i = 0; i < count; i++) {
      const file = this.#file();
      if (paths.has(file.path)) throw corruptPackage('two files have one path');
      paths.add(file.path);
      files.push(file);
    }
    this.#body.end('the index');
    return files;
  }

  #file(): PackageFile {
    const kind = this.#body.u8();
    const before = (kind & pathFromAncestor) === 0 ? undefined : this.#ancestorFile();
    const path = before?.path ?? this.#path();
    const sha256 = Buffer.from(this.#body.take(32)).toString('hex');
    switch (kind & ~pathFromAncestor) {
      case contentCodes.safetensors: {
        const content = this.#safetensors(before);
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

  #ancestorFile(): PackageFile {
    const file = this.#ctx.ancestor?.files[this.#body.varint(fileCountMax, 'the number of an ancestor file')];
    if (file === undefined) throw corruptPackage('a path refers to an ancestor file that is not there');
    return file;
  }

  #path(): string {
    // A path's limit counts characters; none takes more than three bytes of UTF-8 a UTF-16 unit.
    const bytes = this.#body.take(this.#body.varint(3 * pathLengthMax, 'the length of a path'));
    try {
      return checkFilePath(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    } catch (error) {
      throw corruptPackage('a file has a path that is not allowed', error);
    }
  }

  #safetensors(before: PackageFile | undefined): SafetensorsContent {
    const previous = before?.content.type === 'safetensors' ? before.content : undefined;
    const ancestorJson = previous?.layout.headerBytes.subarray(headerLengthBytes) ?? new Uint8Array(0);
    const layout = layoutOf(readHeaderJson(this.#body, ancestorJson, this.#ctx.budget));
    const { codebooks, formatVersion, ancestor } = this.#ctx;
    const codings = readCodings(
      this.#body,
      layout.tensors.length,
      { codebooks, formatVersion },
      previous && ancestor && { content: previous, codebooks: ancestor.codebooks },
    );
    checkDtypes(layout, codings, codebooks);
    if (blockCountMin(layout.tensors) > this.#body.remainingBytes / blockEntryBytesMin) throw corruptPackage('a file has more blocks than the index');
    const residuals = readResidualTensors(this.#body, { layout, codings }, previous);
    return { type: 'safetensors', layout, codings, ...(residuals.size > 0 && { residuals }), blocks: this.#blocks(planTensors(layout, codings)) };
  }

  #blobBlocks(sizeBytes: number): BlockEntry[] {
    if (blockCountMin([{ elementCount: sizeBytes }]) > this.#body.remainingBytes / blockEntryBytesMin)
      throw corruptPackage('a file has more blocks than the index');
    return this.#blocks(planBlob(sizeBytes));
  }

  #blocks(plan: FilePlan): BlockEntry[] {
    return plan.blocks.map((block) => {
      const lengthBytes = this.#body.varint(payloadBytesMax(block), 'the length of a payload');
      if (lengthBytes === 0) throw corruptPackage('a payload is empty');
      const offsetBytes = this.#offsetBytes;
      this.#offsetBytes += lengthBytes;
      return { offsetBytes, lengthBytes, crc32c: this.#body.u32() };
    });
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

function checkDtypes(layout: SafetensorsLayout, codings: readonly TensorCoding[], codebooks: readonly PackageCodebook[]): void {
  layout.tensors.forEach((tensor, i) => {
    const coding = codings[i]!;
    if (coding.kind === 'levels' && codebooks[coding.codebook]!.dtype !== tensor.dtype) throw corruptPackage('a tensor and its codebook differ in dtype');
    if (coding.kind === 'residual' && !isQuantizable(tensor.dtype)) throw corruptPackage('a residual tensor has a dtype that is not quantized');
  });
}
