/**
 * Fuzz target of the package index decoder. For any bytes it gives an index whose blocks match its plans and which
 * encodes to the same again, or `corrupt-package`. Inputs that name the corpus's `accepted.base` as their ancestor are
 * decoded as deltas to it; merged packages, of versions 3 and 9, build on the bases of versions 2 and 7.
 *
 * `npx tsx test/fuzz/package-index.ts --seconds 60 --seed 1 --format 2` mutates the corpus of that format version for
 * that long and exits non-zero at the first failure, printing the input in hex; the same seed tries the same inputs in
 * the same order. The replay test runs every corpus file and a short, fixed stretch.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { FirnError, type FirnErrorCode } from '../../src/checkpoint/firn-error.ts';
import { payloadBytesMax, mergedPackagePayloadBytesMax } from '../../src/package/blocks/block-bounds.ts';
import { codingRuleOf } from '../../src/package/codings/all-codings.ts';
import { ByteReader } from '../../src/package/byte-reader.ts';
import { ByteWriter } from '../../src/package/byte-writer.ts';
import { decodePackageIndex, readAncestorId } from '../../src/package/index/decode-index.ts';
import { decodeMergedPackageIndex } from '../../src/package/index/decode-merged.ts';
import { encodePackageIndex } from '../../src/package/index/encode-index.ts';
import { encodeMergedPackageIndex } from '../../src/package/index/encode-merged.ts';
import { prefixBytes } from '../../src/package/package-frame.ts';
import { isMergedFormat } from '../../src/package/format-version.ts';
import type { FormatVersion, PackageIndex } from '../../src/package/package-index.ts';
import { planFile } from '../../src/package/blocks/plan-file.ts';
import { seededRandom } from './safetensors-header.ts';

/** Corpora by format version. */
const corpusFolders: Readonly<Record<FormatVersion, string>> = {
  1: fileURLToPath(new URL('./corpus/package-index/', import.meta.url)),
  2: fileURLToPath(new URL('./corpus/package-index-v2/', import.meta.url)),
  3: fileURLToPath(new URL('./corpus/package-index-v3/', import.meta.url)),
  4: fileURLToPath(new URL('./corpus/package-index-v4/', import.meta.url)),
  5: fileURLToPath(new URL('./corpus/package-index-v5/', import.meta.url)),
  6: fileURLToPath(new URL('./corpus/package-index-v6/', import.meta.url)),
  7: fileURLToPath(new URL('./corpus/package-index-v7/', import.meta.url)),
  8: fileURLToPath(new URL('./corpus/package-index-v8/', import.meta.url)),
  9: fileURLToPath(new URL('./corpus/package-index-v9/', import.meta.url)),
  10: fileURLToPath(new URL('./corpus/package-index-v10/', import.meta.url)),
  11: fileURLToPath(new URL('./corpus/package-index-v11/', import.meta.url)),
};

/** Of the bases that merged packages build on. */
const baseVersions = new Map<FormatVersion, FormatVersion>([
  [3, 2],
  [9, 7],
]);

/** Ids of the base in the corpus and of everything else. */
export const ancestorId = 'a'.repeat(32);
const ownId = 'b'.repeat(32);

/** Longest mutated input, in bytes. */
const inputBytesMax = 16 * 1024;
const deflatedFlag = 2;

export function readCorpus(version: FormatVersion): { readonly name: string; readonly bytes: Buffer }[] {
  const folder = corpusFolders[version];
  return readdirSync(folder)
    .sort()
    .map((name) => ({ name, bytes: readFileSync(folder + name) }));
}

/** Runs inputs of a format version against its corpus's base. */
export class IndexTarget {
  readonly #formatVersion: FormatVersion;
  readonly #ancestor: PackageIndex;

  constructor(formatVersion: FormatVersion) {
    this.#formatVersion = formatVersion;
    const version = baseVersions.get(formatVersion) ?? formatVersion;
    this.#ancestor = decodePackageIndex(readFileSync(`${corpusFolders[version]}accepted.base`), {
      formatVersion: version,
      id: ancestorId,
    });
  }

  /** Runs one input and returns the decoder's outcome; throws if a property is broken. */
  check(bytes: Uint8Array): FirnErrorCode | 'accepted' {
    let indexes: PackageIndex[];
    let ancestor: PackageIndex | undefined;
    try {
      ancestor = readAncestorId(bytes) === ancestorId ? this.#ancestor : undefined;
      indexes = this.#decode(bytes, ancestor);
    } catch (err) {
      if (err instanceof FirnError && err.code === 'corrupt-package') return err.code;
      throw err;
    }
    let offsetBytes = prefixBytes;
    for (const index of indexes) offsetBytes = checkIndex(index, offsetBytes);
    const again = isMergedFormat(this.#formatVersion)
      ? encodeMergedPackageIndex(indexes, ancestor!)
      : encodePackageIndex(indexes[0]!, ancestor);
    if (!isDeepStrictEqual(this.#decode(again, ancestor), indexes))
      throw new Error('accepted, but encoding it again gives another index');
    return 'accepted';
  }

  #decode(bytes: Uint8Array, ancestor: PackageIndex | undefined): PackageIndex[] {
    const formatVersion = this.#formatVersion;
    if (isMergedFormat(formatVersion)) return decodeMergedPackageIndex(bytes, { id: ownId, formatVersion, ancestor });
    return [decodePackageIndex(bytes, { formatVersion, id: ownId, ancestor })];
  }
}

/**
 * Throws unless the blocks of an index follow each other from `firstBytes` on, except those that it shares; returns
 * their end.
 */
function checkIndex(index: PackageIndex, firstBytes: number): number {
  let offsetBytes = firstBytes;
  const bytesMax = index.part === undefined ? payloadBytesMax : mergedPackagePayloadBytesMax;
  for (const { sizeBytes, content, path } of index.files) {
    const plan = planFile({ sizeBytes, content });
    if (content.type === 'external' || plan === undefined) continue;
    if (plan.layout.sizeBytes !== sizeBytes || content.blocks.length !== plan.blocks.length)
      throw new Error(`accepted, but ${path} is not its plan`);
    for (const [number, { lengthBytes, ...entry }] of content.blocks.entries()) {
      const isShared = codingRuleOf(plan.blocks[number]!.coding).isShared && (index.part?.position ?? 0) > 0;
      const lies = isShared ? entry.offsetBytes < firstBytes : entry.offsetBytes === offsetBytes;
      if (!lies || lengthBytes < 1 || lengthBytes > bytesMax(plan.blocks[number]!))
        throw new Error(`accepted, but block ${number} of ${path} lies wrong`);
      if (!isShared) offsetBytes += lengthBytes;
    }
  }
  return offsetBytes;
}

/** A mutated copy of corpus inputs, determined by `random` alone. */
export function mutate(corpus: readonly Uint8Array[], random: () => number, version: FormatVersion): Uint8Array {
  const below = (n: number): number => Math.floor(random() * n);
  const pick = (): Buffer => plainForm(corpus[below(corpus.length)]!.subarray(0, inputBytesMax), version);
  let bytes = pick();
  for (let rounds = 1 + below(4); rounds > 0; rounds--) {
    const at = below(bytes.length + 1);
    const span = 1 + below(16);
    switch (below(7)) {
      case 0:
        if (at < bytes.length) bytes[at]! ^= 1 << below(8);
        break;
      case 1:
        if (at < bytes.length) bytes[at] = below(256);
        break;
      case 2:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + span))]);
        break;
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at, at + span), bytes.subarray(at)]);
        break;
      case 4:
        bytes = Buffer.concat([
          bytes.subarray(0, at),
          new ByteWriter().varint(Math.floor(2 ** (random() * 53))).finish(),
          bytes.subarray(at),
        ]);
        break;
      case 5: {
        const other = pick();
        bytes = Buffer.concat([bytes.subarray(0, at), other.subarray(below(other.length + 1))]);
        break;
      }
      default:
        bytes = bytes.subarray(0, at);
    }
  }
  return random() < 0.1 ? deflatedForm(bytes.subarray(0, inputBytesMax), version) : bytes.subarray(0, inputBytesMax);
}

/** The same index with a body that is not deflated, so that mutations reach its fields. */
function plainForm(bytes: Uint8Array, version: FormatVersion): Buffer {
  const flags = bytes[0] ?? 0;
  if ((flags & deflatedFlag) === 0) return Buffer.from(bytes);
  const head = headBytes(bytes, version);
  try {
    const reader = new ByteReader(bytes.subarray(head));
    const maxOutputLength = reader.varint(inputBytesMax, 'the length');
    return Buffer.concat([
      Uint8Array.of(flags & ~deflatedFlag),
      bytes.subarray(1, head),
      inflateRawSync(reader.rest(), { maxOutputLength }),
    ]);
  } catch {
    return Buffer.from(bytes);
  }
}

/** Bytes before the length of a deflated body. */
function headBytes(bytes: Uint8Array, version: FormatVersion): number {
  const withAncestor = 1 + ((bytes[0] ?? 0) & 1) * 16;
  return isMergedFormat(version) ? withAncestor + 1 + 16 * (bytes[withAncestor] ?? 0) : withAncestor;
}

function deflatedForm(bytes: Uint8Array, version: FormatVersion): Uint8Array {
  const flags = bytes[0] ?? 0;
  const head = headBytes(bytes, version);
  const body = bytes.subarray(head);
  return new ByteWriter()
    .u8(flags | deflatedFlag)
    .append(bytes.subarray(1, head))
    .varint(body.length)
    .append(deflateRawSync(body))
    .finish();
}

function main(argv: readonly string[]): void {
  const option = (name: string, otherwise: number): number => {
    const at = argv.indexOf(name);
    return at < 0 ? otherwise : Number(argv[at + 1]);
  };
  const seconds = option('--seconds', 10);
  const seed = option('--seed', 1);
  const random = seededRandom(seed);
  const version = option('--format', 2) as FormatVersion;
  const target = new IndexTarget(version);
  const corpus = readCorpus(version).map(({ bytes }) => bytes);
  const counts = new Map<string, number>();
  const end = performance.now() + seconds * 1000;
  let inputs = 0;
  for (; performance.now() < end; inputs++) {
    const bytes = mutate(corpus, random, version);
    try {
      const code = target.check(bytes);
      counts.set(code, (counts.get(code) ?? 0) + 1);
    } catch (err) {
      process.stderr.write(
        `input ${inputs} of seed ${seed} fails: ${String(err)}\n${Buffer.from(bytes).toString('hex')}\n`,
      );
      process.exitCode = 1;
      return;
    }
  }
  const spread = [...counts].map(([code, count]) => `${code} ${count}`).join(', ');
  process.stdout.write(`${inputs} inputs in ${seconds} s, seed ${seed}, no failure: ${spread}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
