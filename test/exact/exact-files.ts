/**
 * Stores random files exactly, checkpoint after checkpoint, and downloads each one: npx tsx test/exact/exact-files.ts
 * --files 10000 --seed 1
 *
 * No byte may differ. No checkpoint may take more than its files and 4 KiB, including objects outside of its package;
 * with many files it may take a little more for each.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openCompressHarness, type CompressHarness } from '../../src/compress/harness/compress-harness.test-support.ts';
import { randomNumbers } from '../acceptance/random-numbers.ts';
import { below, nextFiles, randomFile, smallFile, type Random, type RandomFile } from './random-files.ts';

const filesPerCheckpointMax = 6;
const checkpointsPerRunMax = 5;
/** One run in this many, the first among them, has many small files. */
const manyFilesEvery = 40;
const manyFiles = 100;
/** Most bytes that a checkpoint may take beyond its files. */
const overheadBytesMax = 4096;
/**
 * If a checkpoint has more files than this, each may take its path and some bytes (its digest, its entry, the frame of
 * its object) in addition.
 */
const fewFiles = 32;
const overheadBytesPerFileMax = 80;

export interface ExactReport {
  readonly files: number;
  readonly checkpoints: number;
  readonly rawBytes: number;
  readonly storedBytes: number;
  /** Most bytes that a checkpoint took beyond its files; negative if each took less. */
  readonly overheadBytes: number;
  /** One sentence each. */
  readonly problems: readonly string[];
}

/** Stores at least `files` files; resolves to the problems. */
export async function exactFiles({
  files,
  seed,
  say,
}: {
  files: number;
  seed: number;
  say?: (line: string) => void;
}): Promise<ExactReport> {
  const random = randomNumbers(seed);
  const harness = await openCompressHarness();
  const report = {
    files: 0,
    checkpoints: 0,
    rawBytes: 0,
    storedBytes: 0,
    overheadBytes: -Infinity,
    problems: [] as string[],
  };
  try {
    for (let run = 0; report.files < files; run += 1) {
      const first = firstFiles(random, run % manyFilesEvery === 0);
      for (const stored of await storeRun(harness, random, first, `seed ${seed}, file ${report.files}`)) {
        report.files += stored.files;
        report.checkpoints += 1;
        report.rawBytes += stored.rawBytes;
        report.storedBytes += stored.storedBytes;
        report.overheadBytes = Math.max(report.overheadBytes, stored.storedBytes - stored.rawBytes);
        report.problems.push(...stored.problems);
      }
      say?.(`${report.files} files, ${report.problems.length} problems`);
    }
  } finally {
    await harness.close();
  }
  return report;
}

interface StoredCheckpoint {
  readonly files: number;
  readonly rawBytes: number;
  readonly storedBytes: number;
  readonly problems: readonly string[];
}

async function storeRun(
  harness: CompressHarness,
  random: Random,
  first: readonly RandomFile[],
  label: string,
): Promise<StoredCheckpoint[]> {
  const run = await harness.newRun({ fidelity: 'exact', thresholds: {} });
  const results: StoredCheckpoint[] = [];
  let files = first;
  const steps = 1 + below(random, checkpointsPerRunMax);
  for (let step = 0; step < steps; step += 1) {
    results.push(await storeCheckpoint(harness, run, step, files, label));
    files = nextFiles(random, files);
  }
  return results;
}

function firstFiles(random: Random, many: boolean): RandomFile[] {
  if (many) return Array.from({ length: manyFiles }, (_, i) => smallFile(random, i));
  return Array.from({ length: 1 + below(random, filesPerCheckpointMax) }, (_, i) => randomFile(random, i));
}

async function storeCheckpoint(
  harness: CompressHarness,
  run: Parameters<CompressHarness['push']>[0],
  step: number,
  files: readonly RandomFile[],
  label: string,
): Promise<StoredCheckpoint> {
  const problems: string[] = [];
  const checkpoint = await harness.push(
    run,
    step,
    Object.fromEntries(files.map(({ path, role, bytes }) => [path, { role, bytes: Buffer.from(bytes) }])),
  );
  if (checkpoint.state !== 'ready')
    return {
      files: files.length,
      rawBytes: 0,
      storedBytes: 0,
      problems: [`${label}: step ${step} is ${checkpoint.state}`],
    };
  for (const { path, bytes } of files) {
    const downloaded = await harness.download(checkpoint, path);
    if (Buffer.compare(downloaded, bytes) !== 0) problems.push(`${label}: ${path} of step ${step} came back otherwise`);
  }
  const rawBytes = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const { storedBytes } = checkpoint.result!;
  if (storedBytes > rawBytes + overheadMax(files))
    problems.push(`${label}: step ${step} takes ${storedBytes} bytes for ${rawBytes}`);
  return { files: files.length, rawBytes, storedBytes, problems };
}

function overheadMax(files: readonly RandomFile[]): number {
  const ofEach = files.map(({ path }) => overheadBytesPerFileMax + Buffer.byteLength(path));
  return overheadBytesMax + (files.length > fewFiles ? ofEach.reduce((sum, bytes) => sum + bytes, 0) : 0);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { files: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
  });
  const report = await exactFiles({
    files: Number(values.files),
    seed: Number(values.seed),
    say: (line) => process.stderr.write(`${line}\n`),
  });
  process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
  process.exitCode = report.problems.length === 0 ? 0 : 1;
}
