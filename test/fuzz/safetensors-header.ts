/**
 * Fuzz target of the safetensors header parser. For any bytes it gives a layout whose tensors tile the file, or a
 * FirnError of a known code. The result is the same for the whole header and for pieces, and never contradicts
 * JSON.parse.
 *
 * `npx tsx test/fuzz/safetensors-header.ts --seconds 60 --seed 1` mutates the corpus for that long and exits non-zero
 * at the first failure, printing the input in hex; the same seed tries the same inputs in the same order. The replay
 * test runs every corpus file and a short, fixed stretch.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dtypeBytes } from '../../src/checkpoint/dtype.ts';
import { FirnError, type FirnErrorCode } from '../../src/checkpoint/firn-error.ts';
import { parseSafetensorsHeader } from '../../src/checkpoint/safetensors/parse-safetensors.ts';
import { SafetensorsHeaderReader } from '../../src/checkpoint/safetensors/safetensors-header-reader.ts';
import type { SafetensorsLayout } from '../../src/checkpoint/safetensors/safetensors-layout.ts';

export const corpusFolder = fileURLToPath(new URL('./corpus/safetensors-header/', import.meta.url));

/** Longest mutated input, in bytes: enough for every construct, small enough for thousands of inputs a second. */
const inputBytesMax = 16 * 1024;

const refusals: ReadonlySet<FirnErrorCode> = new Set([
  'not-safetensors',
  'header-truncated',
  'header-too-large',
  'header-invalid',
  'dtype-unknown',
  'tensor-duplicate',
  'tensor-size-mismatch',
  'tensor-overlap',
  'tensor-gap',
  'length-mismatch',
]);

export function readCorpus(): { readonly name: string; readonly bytes: Buffer }[] {
  return readdirSync(corpusFolder)
    .sort()
    .map((name) => ({ name, bytes: readFileSync(corpusFolder + name) }));
}

/** Runs one input and returns the parser's outcome; throws if a property is broken. */
export function checkInput(bytes: Uint8Array): FirnErrorCode | 'accepted' {
  outcome(() => parseSafetensorsHeader(bytes, bytes.length));
  const whole = outcome(() => parseSafetensorsHeader(bytes));
  const pieces = outcome(() => readInPieces(bytes));
  if (whole.code !== pieces.code) throw new Error(`whole says ${whole.code}, pieces say ${pieces.code}`);
  if (whole.layout !== undefined) checkLayout(whole.layout, bytes);
  return whole.code;
}

/** A mutated copy of corpus inputs, determined by `random` alone. */
export function mutate(corpus: readonly Uint8Array[], random: () => number): Uint8Array {
  const below = (n: number): number => Math.floor(random() * n);
  const pick = (): Buffer => Buffer.from(corpus[below(corpus.length)]!.subarray(0, inputBytesMax));
  let bytes = pick();
  for (let rounds = 1 + below(4); rounds > 0; rounds--) {
    const at = below(bytes.length + 1);
    const span = 1 + below(16);
    switch (below(8)) {
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
        bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(tokens[below(tokens.length)]!), bytes.subarray(at)]);
        break;
      case 5: {
        const other = pick();
        bytes = Buffer.concat([bytes.subarray(0, at), other.subarray(below(other.length + 1))]);
        break;
      }
      case 6:
        bytes = bytes.subarray(0, at);
        break;
      default: {
        const text = bytes.toString('latin1').replace(/\d+/, () => tokens[below(tokens.length)]!);
        bytes = Buffer.from(text, 'latin1');
      }
    }
  }
  bytes = bytes.subarray(0, inputBytesMax);
  // Half of the mutations get a correct length field, because a wrong one stops the parser at once.
  if (bytes.length >= 8 && random() < 0.5) bytes.writeBigUInt64LE(BigInt(bytes.length - 8));
  return bytes;
}

const tokens = [
  '0',
  '1',
  '-1',
  '4',
  '9007199254740991',
  '9007199254740992',
  '1e3',
  '1.0',
  '00',
  'null',
  'true',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  '\\n',
  ' ',
  '\n',
  '\0',
  '"dtype":"F32"',
  '"shape":[]',
  '"data_offsets":[0,4]',
  '"__metadata__":{}',
  '"__proto__"',
  'F32',
  'BF16',
  '\u{1f600}',
];

/** Small deterministic generator (mulberry32): 0 <= x < 1. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function outcome(work: () => SafetensorsLayout): { code: FirnErrorCode | 'accepted'; layout?: SafetensorsLayout } {
  try {
    return { code: 'accepted', layout: work() };
  } catch (err) {
    if (err instanceof FirnError && refusals.has(err.code)) return { code: err.code };
    throw err;
  }
}

function readInPieces(bytes: Uint8Array): SafetensorsLayout {
  const reader = new SafetensorsHeaderReader();
  for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 3) % 101)
    reader.push(bytes.subarray(at, at + size));
  return reader.finish();
}

function checkLayout(layout: SafetensorsLayout, bytes: Uint8Array): void {
  const must = (holds: boolean, what: string): void => {
    if (!holds) throw new Error(`accepted, but ${what}`);
  };
  const header = bytes.subarray(0, layout.headerBytes.length);
  must(Buffer.compare(layout.headerBytes, header) === 0, 'the header is not the input');
  const json = JSON.parse(
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(header.subarray(8)),
  ) as Record<string, { dtype: string; shape: number[]; data_offsets: number[] }>;
  const listed = new Map(Object.entries(json));
  listed.delete('__metadata__');
  must(listed.size === layout.tensors.length, 'tensors are missing or invented');
  let edge = header.length;
  for (const entry of layout.tensors) {
    const same = listed.get(entry.name);
    must(
      same !== undefined && same.dtype === entry.dtype && same.shape.join() === entry.shape.join(),
      `${entry.name} reads otherwise with JSON.parse`,
    );
    must(
      entry.startBytes === edge && same!.data_offsets[0] === edge - header.length,
      `${entry.name} does not start at the edge`,
    );
    must(
      entry.endBytes - entry.startBytes === entry.elementCount * dtypeBytes[entry.dtype],
      `${entry.name} has the wrong size`,
    );
    must(
      entry.shape.every((size) => Number.isSafeInteger(size) && size >= 0),
      `${entry.name} has a strange shape`,
    );
    edge = entry.endBytes;
  }
  must(layout.sizeBytes === edge && Number.isSafeInteger(edge), 'the size is not the last edge');
}

function main(argv: readonly string[]): void {
  const option = (name: string, otherwise: number): number => {
    const at = argv.indexOf(name);
    return at < 0 ? otherwise : Number(argv[at + 1]);
  };
  const seconds = option('--seconds', 10);
  const seed = option('--seed', 1);
  const random = seededRandom(seed);
  const corpus = readCorpus().map(({ bytes }) => bytes);
  const counts = new Map<string, number>();
  const end = performance.now() + seconds * 1000;
  let inputs = 0;
  for (; performance.now() < end; inputs++) {
    const bytes = mutate(corpus, random);
    try {
      const code = checkInput(bytes);
      counts.set(code, (counts.get(code) ?? 0) + 1);
    } catch (err) {
      process.stderr.write(
        `input ${inputs} of seed ${seed} fails: ${String(err)}\n${Buffer.from(bytes).toString('hex')}\n`,
      );
      process.exitCode = 1;
      return;
    }
  }
  const spread = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([code, count]) => `${code} ${count}`)
    .join(', ');
  process.stdout.write(`${inputs} inputs in ${seconds} s, seed ${seed}, no failure: ${spread}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
