import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { Repository } from '../catalog/contract/repository-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import { storedParts, type Usage } from '../catalog/contract/storage/usage-records.ts';
import { FirnError, type FirnErrorCode } from '../checkpoint/firn-error.ts';
import { bodyOf } from '../store/body-of.ts';
import { markOrphans } from '../upkeep/garbage/mark-orphans.ts';
import { deletePending } from '../upkeep/garbage/delete-pending.ts';
import { openTestGateway, type TestGateway } from './gateway.test-support.ts';
import { ramp, safetensors } from './safetensors.test-support.ts';

/**
 * Random lives of checkpoints, runs and eval sets, kills among them. After each step the bytes counted in the catalog
 * must equal those in the store.
 */

const seeds = fc.integer({ min: 0, max: 3 });
const steps = fc.integer({ min: 1, max: 4 });
const names = fc.constantFrom('a', 'b', 'c');
const operations = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('push' as const), run: names, step: steps, seed: seeds }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      run: names,
      step: steps,
      seed: seeds,
      path: fc.constantFrom('model.safetensors', 'notes.txt'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('commit' as const), run: names, step: steps }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('encode' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('delete' as const), run: names, step: steps }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete run' as const), run: names }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fork' as const), run: names, from: names, step: steps }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('eval part' as const),
      part: fc.constantFrom('graph' as const, 'batches' as const),
      seed: seeds,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete eval set' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('killed' as const),
      prefix: fc.constantFrom('staged/x', 'packages/x', 'evalsets/x'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('find orphans' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('collect' as const) }) },
);
type Operation = typeof operations extends fc.Arbitrary<infer T> ? T : never;

/** Codes that a random order of operations may get. */
const refusals: ReadonlySet<FirnErrorCode> = new Set<FirnErrorCode>([
  'conflict',
  'not-found',
  'step-exists',
  'upload-incomplete',
  'layout-mismatch',
  'run-not-ready',
  'checkpoint-not-ready',
]);

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway();
});
afterAll(() => gateway.close());

let worlds = 0;
class World {
  /** Objects that no record names yet. */
  readonly lost = new Set<string>();
  readonly repository: Repository;

  constructor(repository: Repository) {
    this.repository = repository;
  }

  static async open(): Promise<World> {
    return new World(
      await gateway.catalog.repositories.create({ namespace: `world-${worlds++}`, name: 'lm', type: 'model' }),
    );
  }

  async do(operation: Operation): Promise<void> {
    try {
      await this.#do(operation);
    } catch (error) {
      if (!(error instanceof FirnError && refusals.has(error.code))) throw error;
    }
  }

  async #do(operation: Operation): Promise<void> {
    const { catalog, uploads, checkpoints, runs, store } = gateway;
    switch (operation.kind) {
      case 'push':
        return void (await uploads.pushCheckpoint(await this.#run(operation.run), {
          step: operation.step,
          upload: upload(model(operation.seed)),
        }));
      case 'send': {
        const run = await this.#run(operation.run);
        const checkpoint = await uploads.reserveCheckpoint(run, { step: operation.step, files: [] });
        const bytes =
          operation.path === 'notes.txt'
            ? Buffer.from(`notes ${operation.seed}`.repeat(operation.seed + 1))
            : model(operation.seed);
        return void (await uploads.receiveFile(run, checkpoint, { path: operation.path }, upload(bytes)));
      }
      case 'commit': {
        const run = await this.#run(operation.run);
        return void (await uploads.commitCheckpoint(run, await this.#checkpoint(run, operation.step)));
      }
      case 'encode':
        return gateway.encode();
      case 'delete':
        return checkpoints.delete(await this.#checkpoint(await this.#run(operation.run), operation.step));
      case 'delete run':
        return runs.delete(await this.#run(operation.run));
      case 'fork':
        return void (await runs.create(this.repository, {
          name: operation.run,
          forkFrom: { run: operation.from, step: operation.step },
        }));
      case 'eval part': {
        const spec = { inputs: { x: 'w' }, metrics: [{ name: 'loss', kind: 'loss', output: 'loss' }] } as const;
        const set =
          (await catalog.evalSets.find(this.repository.id, 'set')) ??
          (await catalog.evalSets.create({ repositoryId: this.repository.id, name: 'set', spec }));
        return uploads.receiveEvalSetPart(set, operation.part, upload(model(operation.seed)));
      }
      case 'delete eval set': {
        const set = await catalog.evalSets.find(this.repository.id, 'set');
        return set && uploads.deleteEvalSet(set);
      }
      case 'killed': {
        const key = `${operation.prefix}${worlds++}/1`;
        await store.put(key, bodyOf(Buffer.from('lost')), { sizeMaxBytes: 10 });
        return void this.lost.add(key);
      }
      case 'find orphans': {
        // If the hub names no object, none counts as an orphan.
        const looks = (await catalog.objects.keys({ limit: 1 })).length > 0;
        await markOrphans(gateway, { graceMs: 0 });
        return looks ? this.lost.clear() : undefined;
      }
      case 'collect':
        return void (await deletePending(gateway, { graceMs: 0 }));
    }
  }

  async #run(name: string): Promise<Run> {
    return (
      (await gateway.catalog.runs.find(this.repository.id, name)) ?? gateway.runs.create(this.repository, { name })
    );
  }

  async #checkpoint(run: Run, step: number): Promise<Checkpoint> {
    const found = await gateway.catalog.checkpoints.find(run.id, step);
    if (found === undefined) throw new FirnError('not-found', 'There is no such step.');
    return found;
  }
}

const model = (seed: number): Buffer => safetensors({ w: { shape: [32, 32], values: ramp(1024, seed) } });
const upload = (bytes: Buffer) => ({ body: bodyOf(bytes), lengthBytes: bytes.length });

async function inStore(except: ReadonlySet<string>): Promise<number> {
  let bytes = 0;
  for await (const { key, storedBytes } of gateway.store.list('')) if (!except.has(key)) bytes += storedBytes;
  return bytes;
}

/** Uploaded bytes of everything that a client can see, read through the API. */
async function visible({ id }: Repository): Promise<number> {
  const { catalog } = gateway;
  let bytes = 0;
  for (const run of await catalog.runs.list(id, { limit: 100 }))
    for (const checkpoint of await catalog.checkpoints.list(run.id, { limit: 100 }))
      for (const file of await catalog.files.list(checkpoint.id)) bytes += file.received ? file.sizeBytes! : 0;
  return bytes;
}

const total = ({ stored }: Usage): number => storedParts.reduce((sum, part) => sum + stored[part], 0);

test('the catalog counts exactly the bytes in the store, whatever happened to them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operations, { minLength: 8, maxLength: 24 }), async (life) => {
      const world = await World.open();
      const { usage } = gateway.catalog;
      for (const operation of life) {
        await world.do(operation);
        const hub = await usage.hub();
        expect(total(hub), operation.kind).toBe(await inStore(world.lost));
        const ofRepository = await usage.repository(world.repository.id);
        expect(ofRepository).toMatchObject({ logical: await visible(world.repository), reserved: 0 });
        expect(await usage.namespaces({ limit: 1 }, [world.repository.namespace])).toEqual([
          { namespace: world.repository.namespace, ...ofRepository },
        ]);
      }
      // Leave nothing of a world for the next: delete its runs and everything that is not needed.
      await gateway.encode();
      for (const run of await gateway.catalog.runs.list(world.repository.id, { limit: 100 })) {
        for (const { id, state } of await gateway.catalog.checkpoints.list(run.id, { limit: 100 }))
          if (state === 'queued' || state === 'working')
            await gateway.checkpoints.cancel((await gateway.catalog.checkpoints.get(id))!);
        await gateway.runs.delete(run);
      }
      for (const key of world.lost) await gateway.store.delete(key);
      await deletePending(gateway, { graceMs: 0 });
      const set = await gateway.catalog.evalSets.find(world.repository.id, 'set');
      const left = await usage.repository(world.repository.id);
      expect(left).toMatchObject({
        logical: 0,
        stored: {
          package: 0,
          staged: 0,
          raw: 0,
          hub: 0,
          hidden: 0,
          pendingDeletion: 0,
          evalSet: set === undefined ? 0 : expect.any(Number),
        },
      });
    }),
    // Worlds share a hub: the remains of a failed one would fail every shrunken one.
    { numRuns: 6, endOnFailure: true },
  );
}, 600_000);
