/**
 * Measures the cost and the gain of merging old deltas of a series:
 * `npx tsx bench/merging.ts examples/lm-small --threshold 0.05`
 *
 * Pushes the series through a hub that does not merge, then merges its packages. For every checkpoint it prints the
 * stored bytes and the time of a whole restore, before and after. Restores read from a file system that has the bytes
 * in memory, with empty caches and one thread; the fastest of several, before and after in turn.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openPgliteCatalog } from '../src/catalog/pglite/open-pglite.ts';
import type { Catalog } from '../src/catalog/contract/catalog.ts';
import type { PackageRecord } from '../src/catalog/contract/storage/package-records.ts';
import type { Run } from '../src/catalog/contract/run-records.ts';
import { HubClient } from '../src/cli/demo/hub-client.ts';
import { HubProcess } from '../src/cli/demo/hub-process.ts';
import { prepareHub, pushCheckpoint } from '../src/cli/demo/push-series.ts';
import { readSeries, type Series } from '../src/cli/demo/read-series.ts';
import { seriesTensorMap } from '../src/cli/demo/series-tensor-map.ts';
import { loadCore } from '../src/native/load-core.ts';
import { Restorer } from '../src/restore/restorer.ts';
import { openFilesystemStore } from '../src/store/filesystem/filesystem-store.ts';
import type { ObjectStore } from '../src/store/object-store.ts';
import { mergeJobKind, queueMerge, runMergeJob } from '../src/upkeep/merge/merge-run.ts';
import { noTracer } from '../src/telemetry/tracer.ts';

const repository = 'bench/merging';
const runName = 'train';
const restoresPerCheckpoint = 25;
const indexCacheBytes = 16 * 1024 * 1024;

async function pushAll(series: Series, dataDirectory: string, threshold: number): Promise<void> {
  const hub = await HubProcess.start(dataDirectory, { FIRN_MERGE: 'off' });
  try {
    const client = new HubClient(hub.url);
    await prepareHub(client, series, {
      repository,
      run: runName,
      thresholds: { [series.metric]: threshold },
      method: 'residual',
    });
    for (const checkpoint of series.checkpoints) {
      const { status } = await pushCheckpoint(client, repository, runName, checkpoint, () => undefined);
      if (status.state !== 'ready')
        throw new Error(`step ${checkpoint.step} is ${status.state}: ${status.error?.message}`);
    }
  } finally {
    await hub.stop();
  }
}

/** Runs the merge jobs of a run until there are none; returns their number. */
async function mergeAll(catalog: Catalog, store: ObjectStore, run: Run): Promise<number> {
  const core = loadCore();
  const freshRestorer = () => new Restorer({ core, store, indexCacheBytesMax: indexCacheBytes, blockCacheBytesMax: 0 });
  const ctx = {
    catalog,
    store,
    core,
    freshRestorer,
    cacheMaxBytes: 64 * 1024 * 1024,
    blockParallel: 2,
    tracer: noTracer,
  };
  await catalog.transaction((tx) => queueMerge(tx, run.id));
  for (let jobs = 0; ; jobs++) {
    const [job] = await catalog.jobs.claim({ kinds: [mergeJobKind], workerId: 'bench', leaseMs: 600_000, limit: 1 });
    if (job === undefined) return jobs;
    await runMergeJob(
      ctx,
      job.subjectId,
      { jobId: job.id, workerId: 'bench', fence: job.fence },
      new AbortController().signal,
    );
  }
}

async function fastestRestores(store: ObjectStore, chains: readonly (readonly PackageRecord[])[]): Promise<number[]> {
  const core = loadCore({ threads: 1 });
  const fastest = chains.map(() => Infinity);
  for (let i = 0; i < restoresPerCheckpoint; i++) {
    for (const [at, packages] of chains.entries()) {
      const started = performance.now();
      const chain = await new Restorer({ core, store, indexCacheBytesMax: 0, blockCacheBytesMax: 0 }).open(packages);
      for (const { path } of chain.files) for await (const piece of chain.file(path).passing()) void piece;
      fastest[at] = Math.min(fastest[at]!, performance.now() - started);
      await chain.close();
    }
  }
  return fastest;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { threshold: { type: 'string', default: '0.05' } },
  });
  const read = readSeries(positionals[0] ?? 'examples/lm-small');
  const tensorMap = await seriesTensorMap(read);
  const series = tensorMap === undefined ? read : { ...read, tensorMap };
  const directory = await mkdtemp(join(tmpdir(), 'firn-merging-'));
  try {
    await pushAll(series, directory, Number(values.threshold));
    const catalog = await openPgliteCatalog({ directory: join(directory, 'catalog') });
    const store = await openFilesystemStore({
      folder: join(directory, 'objects'),
      crc32c: loadCore({ threads: 1 }).crc32cSync,
    });
    const [namespace, name] = repository.split('/') as [string, string];
    const run = (await catalog.runs.find((await catalog.repositories.find(namespace, name))!.id, runName))!;
    const checkpoints = await catalog.checkpoints.list(run.id, { limit: 1000 });
    const chains = () => Promise.all(checkpoints.map(({ packageId }) => catalog.packages.chain(packageId!)));
    const before = await chains();
    const started = performance.now();
    const jobs = await mergeAll(catalog, store, run);
    const mergeMs = performance.now() - started;
    const after = await chains();
    // The replaced packages still exist.
    const times = await fastestRestores(store, [...before, ...after]);
    for (const [i, { step }] of checkpoints.entries()) {
      const [was, is] = [before[i]![0]!, after[i]![0]!];
      const place =
        is.mergedPackageId === undefined ? '' : `, checkpoint ${is.position} of ${is.mergedPackageId.slice(0, 8)}`;
      const [msBefore, msAfter] = [times[i]!, times[before.length + i]!].map((ms) => ms.toFixed(2));
      process.stdout.write(
        `${step}: ${is.kind} ${is.chainLength}, ${was.storedBytes} -> ${is.storedBytes} bytes, ${msBefore} ` +
          `-> ${msAfter} ms${place}\n`,
      );
    }
    const sum = (list: readonly (readonly PackageRecord[])[]) =>
      list.reduce((total, [record]) => total + record!.storedBytes, 0);
    process.stdout.write(
      `${sum(before)} -> ${sum(after)} bytes in all, ${jobs} jobs in ${(mergeMs / 1000).toFixed(1)} s\n`,
    );
    await catalog.close();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

await main();
process.exit(0);
