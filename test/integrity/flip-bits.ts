/**
 * Flips single bits in a hub's stored objects, one at a time: npx tsx test/integrity/flip-bits.ts --flips 1000 --seed 1
 *
 * No read may give a wrong byte, and the scrubber has to name the object and every checkpoint that cannot be rebuilt.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Checkpoint } from '../../src/catalog/contract/checkpoint-records.ts';
import {
  modelOf,
  openCompressHarness,
  sixteenBins,
  type CompressHarness,
  type Upload,
} from '../../src/compress/harness/compress-harness.test-support.ts';
import { isDamage } from '../../src/compress/ancestor/open-ancestor.ts';
import { f32, noise, tinyWeights } from '../../src/compress/harness/tiny-model.test-support.ts';
import { Downloads } from '../../src/restore/downloads.ts';
import { digestBytes } from '../../src/restore/digest-bytes.ts';
import { Restorer } from '../../src/restore/restorer.ts';
import { affectedNames } from '../../src/upkeep/scrub/describe-damage.ts';
import type { FoundDamage } from '../../src/upkeep/scrub/examine-object.ts';
import { recheckDamaged } from '../../src/upkeep/scrub/recheck-damaged.ts';
import { Quarantine, quarantinedStore } from '../../src/upkeep/scrub/quarantine.ts';
import { scrubObjects } from '../../src/upkeep/scrub/scrub-objects.ts';
import { randomNumbers } from '../acceptance/random-numbers.ts';
import { flipper } from './flipper.ts';

/** Steps of each run: a base and deltas. */
const stepsPerRun = 4;
const noiseBytes = 400_000;

export interface FlipReport {
  readonly objects: number;
  readonly flips: number;
  /** Flips by kind of object: packages, staged (raw), evalsets, blobs and xorbs of hub clients. */
  readonly flipsByKind: Readonly<Record<string, number>>;
  /** Reads of files while some bit was flipped, and how many of them failed. */
  readonly reads: number;
  readonly refused: number;
  readonly wrongReads: number;
  readonly foundByScrubber: number;
  /** One sentence each. */
  readonly problems: readonly string[];
}

interface StoredFile {
  /** The checkpoint's name in the scrubber's report. */
  readonly name: string;
  /** Absent for a file of commits, whose object has the key `path`. */
  readonly checkpoint?: Checkpoint;
  readonly path: string;
  readonly sha256: string;
}

/** Flips `flips` bits; resolves to the problems found. */
export async function flipBits({
  flips,
  seed,
  say,
}: {
  flips: number;
  seed: number;
  say?: (line: string) => void;
}): Promise<FlipReport> {
  const random = randomNumbers(seed);
  const harness = await openCompressHarness();
  try {
    const files = await storeHub(harness, seed);
    const keys = await harness.catalog.objects.keys({ limit: 1000 });
    const report = {
      objects: keys.length,
      flips: 0,
      flipsByKind: {} as Record<string, number>,
      reads: 0,
      refused: 0,
      wrongReads: 0,
      foundByScrubber: 0,
    };
    const problems: string[] = [];
    for (; report.flips < flips; report.flips += 1) {
      const key = keys[Math.floor(random() * keys.length)]!;
      const flip = await flipper(harness.directory, key, random);
      const label = `seed ${seed}, flip ${report.flips}, ${flip.place}`;
      await flip.toggle();
      const failed = new Set<string>();
      const restorer = freshRestorer(harness);
      for (const file of files) {
        report.reads += 1;
        const outcome = await read(harness, restorer, file);
        if (outcome === 'refused') failed.add(file.name);
        if (outcome === 'refused') report.refused += 1;
        if (outcome === 'wrong') report.wrongReads += 1;
        if (outcome === 'wrong') problems.push(`${label}: ${file.name} ${file.path} came back with other bytes`);
      }
      const found: FoundDamage[] = [];
      const ctx = scrubContext(harness, found);
      await scrubObjects(ctx);
      if (found.length === 1 && found[0]!.key === key) report.foundByScrubber += 1;
      else problems.push(`${label}: the scrubber found ${found.map((each) => each.key).join() || 'nothing'}`);
      const named = new Set(found.flatMap(affectedNames));
      for (const name of failed)
        if (!named.has(name)) problems.push(`${label}: ${name} cannot be read and is not named`);
      if (named.size === 0) problems.push(`${label}: nothing is named`);
      if (!(await isKeptFromReading(harness, key)))
        problems.push(`${label}: it can be opened in spite of the quarantine`);
      await flip.toggle();
      if ((await recheckDamaged(ctx)) > 0) problems.push(`${label}: it stays in quarantine although it is whole again`);
      const kind = key.split('/')[0]!;
      report.flipsByKind[kind] = (report.flipsByKind[kind] ?? 0) + 1;
      if ((report.flips + 1) % 50 === 0)
        say?.(
          `${report.flips + 1} flips, ${report.refused} of ${report.reads} reads refused, ${problems.length} problems`,
        );
    }
    for (const file of files)
      if ((await read(harness, freshRestorer(harness), file)) !== 'right')
        problems.push(`${file.name} ${file.path} is not as it was in the end`);
    return { ...report, problems };
  } finally {
    await harness.close();
  }
}

/**
 * A lossy run with deltas by each method, an exact run with a raw object and references, and the harness's eval set.
 */
async function storeHub(harness: CompressHarness, seed: number): Promise<StoredFile[]> {
  const raw = Buffer.from(Uint32Array.from(noise(noiseBytes / 4, seed), (x) => x * 2 ** 32).buffer);
  const exactAt = (step: number): Upload => ({
    ...modelOf({
      'fc.weight': f32(
        [300, 700],
        noise(210_000, seed).map((x, i) => (i % 50 < step ? x + 1 : x)),
      ),
    }),
    'noise.bin': { role: 'other', bytes: raw },
    'own.bin': { role: 'other', bytes: raw.subarray(step, step + noiseBytes / 2) },
  });
  const runs = [
    { run: await harness.newFixedRun(sixteenBins), at: (step: number) => modelOf(tinyWeights(step)) },
    {
      run: await harness.newFixedRun({ method: 'residual', step: 0 }),
      at: (step: number) => modelOf(tinyWeights(step, 7)),
    },
    { run: await harness.newRun({ fidelity: 'exact', thresholds: {} }), at: exactAt },
  ];
  const files: StoredFile[] = [];
  for (const { run, at } of runs) {
    for (let step = 0; step < stepsPerRun; step += 1) {
      const checkpoint = await harness.push(run, step, at(step));
      if (checkpoint.state !== 'ready')
        throw new Error(`${run.name}@${step} is ${checkpoint.state}: ${checkpoint.errorMessage}`);
      for (const file of await harness.catalog.files.list(checkpoint.id))
        if (file.resultSha256 !== undefined)
          files.push({ name: `acme/tiny/${run.name}@${step}`, checkpoint, path: file.path, sha256: file.resultSha256 });
    }
  }
  files.push(...(await storeHubFiles(harness, raw)));
  return files;
}

/** A file of a commit, and chunks from which another was built. */
async function storeHubFiles({ catalog, store }: CompressHarness, bytes: Buffer): Promise<StoredFile[]> {
  const { id: repositoryId } = (await catalog.repositories.find('acme', 'tiny'))!;
  const name = 'a file of commits of acme/tiny';
  const { sha256 } = await digestBytes([bytes].values() as unknown as AsyncIterable<Uint8Array>);
  const put = async (key: string) => {
    const body = [bytes].values() as unknown as AsyncIterable<Uint8Array>;
    return store.put(key, body, { sizeMaxBytes: bytes.length });
  };
  const [rawKey, key] = [`blobs/${repositoryId}/file`, `xorbs/${repositoryId}/chunks`];
  const { storedBytes } = await put(rawKey);
  await catalog.hub.blobs.add({ repositoryId, sha256, sizeBytes: bytes.length, rawKey, rawStoredBytes: storedBytes });
  await put(key);
  await catalog.hub.xorbs.add({ repositoryId, hash: sha256, key, sizeBytes: bytes.length, storedBytes, chunks: [] });
  return [rawKey, key].map((path) => ({ name, path, sha256 }));
}

function freshRestorer({ core, store }: CompressHarness): Restorer {
  return new Restorer({ core, store, indexCacheBytesMax: 2 ** 20, blockCacheBytesMax: 0 });
}

async function read(
  { catalog, store, core }: CompressHarness,
  restorer: Restorer,
  { checkpoint, path, sha256: expected }: StoredFile,
): Promise<'right' | 'wrong' | 'refused'> {
  const downloads = new Downloads({ catalog, store, core, restorer });
  try {
    const opened =
      checkpoint === undefined
        ? await downloads.openRaw(path)
        : await downloads.openFile(checkpoint, (await catalog.files.find(checkpoint.id, path))!);
    try {
      return (await digestBytes(opened.stream(0, opened.sizeBytes))).sha256 === expected ? 'right' : 'wrong';
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (isDamage(error)) return 'refused';
    throw error;
  }
}

function scrubContext({ catalog, store }: CompressHarness, found: FoundDamage[]) {
  const onUnread = (key: string, error: unknown): never => {
    throw new Error(`${key} could not be read`, { cause: error });
  };
  return { catalog, store, onUnread, onDamage: (damage: FoundDamage) => void found.push(damage) };
}

async function isKeptFromReading({ catalog, store }: CompressHarness, key: string): Promise<boolean> {
  try {
    await (await quarantinedStore(store, new Quarantine(catalog)).open(key)).close();
    return false;
  } catch (error) {
    return isDamage(error);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { flips: { type: 'string', default: '1000' }, seed: { type: 'string', default: '1' } },
  });
  const report = await flipBits({
    flips: Number(values.flips),
    seed: Number(values.seed),
    say: (line) => process.stderr.write(`${line}\n`),
  });
  process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
  process.exitCode = report.problems.length === 0 ? 0 : 1;
}
