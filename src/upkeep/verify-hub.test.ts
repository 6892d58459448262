import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import {
  modelOf,
  openCompressHarness,
  put,
  type CompressHarness,
} from '../compress/harness/compress-harness.test-support.ts';
import { isDamage } from '../compress/ancestor/open-ancestor.ts';
import { f32, noise } from '../compress/harness/tiny-model.test-support.ts';
import { Restorer } from '../restore/restorer.ts';
import { fileNameOf, shardOf } from '../store/filesystem/filesystem-path.ts';
import { patternBytes } from '../store/object-store.reference.ts';
import { Quarantine, quarantinedStore } from './scrub/quarantine.ts';
import { recheckDamaged } from './scrub/recheck-damaged.ts';
import { collectNow } from './garbage/collect-now.test-support.ts';
import { verifyHub } from './verify-hub.ts';

let harness: CompressHarness;
let run: Run;
let checkpoints: Checkpoint[];
const upload = (step: number) => ({
  ...modelOf({
    w: f32(
      [300, 70],
      noise(21_000, 1).map((x, i) => (i % 40 < step ? x + 1 : x)),
    ),
  }),
  'noise.bin': { role: 'other' as const, bytes: patternBytes(200_000, step) },
});
beforeAll(async () => {
  harness = await openCompressHarness();
  run = await harness.newRun({ fidelity: 'exact', thresholds: {} });
  checkpoints = [];
  for (const step of [0, 1]) checkpoints.push(await harness.push(run, step, upload(step)));
  expect(checkpoints[1]!.result!.kind).toBe('delta');
});
afterAll(() => harness.close());

const name = (step: number) => `acme/tiny/${run.name}@${step}`;

async function verified() {
  const { catalog, store, core } = harness;
  const lines: string[] = [];
  const restorer = new Restorer({ core, store, indexCacheBytesMax: 2 ** 20, blockCacheBytesMax: 0 });
  return { lines, ...(await verifyHub({ catalog, store, core, restorer }, (line) => lines.push(line))) };
}

async function flipByte(key: string): Promise<void> {
  const handle = await open(join(harness.directory, 'objects', 'objects', shardOf(key), fileNameOf(key)), 'r+');
  const byte = Buffer.alloc(1);
  await handle.read(byte, 0, 1, 5);
  await handle.write(Buffer.of(byte[0]! ^ 255), 0, 1, 5);
  await handle.close();
}

const keyOf = async ({ packageId }: Checkpoint): Promise<string> =>
  (await harness.catalog.packages.get(packageId!))!.key;
const rawKeyOf = async ({ id }: Checkpoint): Promise<string> =>
  (await harness.catalog.files.find(id, 'noise.bin'))!.rawKey!;

test('a whole hub has no problems; what nothing names is counted and is none', async () => {
  // The uploads have become packages.
  await collectNow(harness);
  expect(await verified()).toMatchObject({
    lines: [],
    problems: 0,
    damaged: 0,
    checkpoints: 2,
    files: 4,
    objects: 6,
    unnamed: { objects: 0 },
  });
  await put(harness.store, 'packages/left-over', Uint8Array.of(1));
  const { problems, unnamed } = await verified();
  expect({ problems, unnamed }).toEqual({
    problems: 0,
    unnamed: { objects: 1, bytes: (await harness.store.stat('packages/left-over'))!.storedBytes },
  });
});

test('a damaged base is told with every checkpoint on it, and each file that does not come back', async () => {
  const key = await keyOf(checkpoints[0]!);
  await flipByte(key);
  const { lines, damaged } = await verified();
  expect(damaged).toBe(1);
  expect(lines[0]).toContain(`corrupt ${key}`);
  expect(lines[0]).toContain(`${name(0)} ${name(1)}`);
  expect(lines.slice(1).map((line) => line.split(':')[0])).toEqual([
    `${name(0)} model.safetensors`,
    `${name(1)} model.safetensors`,
  ]);

  // In quarantine the object cannot be opened. The next checkpoint does not build on it, although its blocks may be in
  // memory.
  const kept = quarantinedStore(harness.store, new Quarantine(harness.catalog));
  await expect(kept.open(key)).rejects.toSatisfy(isDamage);
  await (await kept.open(await rawKeyOf(checkpoints[0]!))).close();
  await flipByte(key);
  const next = await harness.push(run, 2, upload(2));
  expect(next.result!.kind).toBe('base');
  expect(next.result!.warnings.filter((warning) => warning.includes('does not build on it'))).toHaveLength(2);
  const again = {
    catalog: harness.catalog,
    store: harness.store,
    onDamage: () => undefined,
    onUnread: () => undefined,
  };
  expect(await recheckDamaged(again)).toBe(0);
  await (await quarantinedStore(harness.store, new Quarantine(harness.catalog)).open(key)).close();
  expect((await verified()).lines).toEqual([]);
});

test('a missing raw object, a digest that is another and a bucket of another hub are told', async () => {
  const key = await rawKeyOf(checkpoints[1]!);
  await harness.store.delete(key);
  const missing = await verified();
  expect(missing.lines[0]).toContain(`missing ${key}`);
  expect(missing.lines[0]).toContain(name(1));
  // Its checksums are right, but its content is not the recorded one.
  await put(harness.store, key, patternBytes(200_000, 77));
  expect((await verified()).lines).toEqual([`${name(1)} noise.bin: its digest is not the recorded one`]);
});

test('a quarantine that cannot be asked for keeps nothing from being read, and what it knew', async () => {
  let answers = true;
  const damage = {
    ...harness.catalog.damage,
    list: async () => {
      if (!answers) throw new Error('no database');
      return [{ key: 'k', what: 'corrupt' as const, detail: '', foundAt: new Date() }];
    },
  };
  const quarantine = new Quarantine({ damage }, { refreshMs: 0 });
  expect([await quarantine.has('k'), await quarantine.has('other')]).toEqual([true, false]);
  answers = false;
  expect([await quarantine.has('k'), await quarantine.has('other')]).toEqual([true, false]);
});
