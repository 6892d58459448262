import { livingMs } from '../catalog/contract/work/process-records.ts';
import { jobStates, type JobState } from '../catalog/contract/work/job-records.ts';
import { deviceKinds, type DeviceKind } from '../checkpoint/device-kind.ts';
import { deviceWishes } from '../checkpoint/options/device-wish.ts';
import { collectDefaultMetrics, Counter, Gauge, type Registry } from 'prom-client';
import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Usage } from '../catalog/contract/storage/usage-records.ts';
import type { DeviceFigures, NativeCore } from '../native/core.ts';

export interface ProcessMetricsParts {
  readonly catalog: Catalog;
  readonly core: NativeCore;
  /** Kinds that are reported even with no jobs. */
  readonly jobKinds: readonly string[];
}

/**
 * Registers the metrics that do not belong to requests: checkpoints, the queue, living workers, the database, the
 * native pool, and the process itself. Values are read at each scrape.
 */
export function registerProcessMetrics(registry: Registry, { catalog, core, jobKinds }: ProcessMetricsParts): void {
  collectDefaultMetrics({ register: registry, prefix: 'firn_' });
  sampled(
    registry,
    { name: 'firn_checkpoints', help: 'Checkpoints in the catalog, hidden ones included.', labelNames: ['state'] },
    async () => Object.entries(await catalog.checkpoints.count()).map(([state, count]) => [{ state }, count]),
  );
  sampled(
    registry,
    {
      name: 'firn_jobs',
      help: 'Jobs in the queue, finished ones as long as they are kept; running ones by what their worker has.',
      labelNames: ['kind', 'state', 'worker'],
    },
    async () => {
      const labels = (kind: string, state: JobState, worker: DeviceKind | undefined) => ({
        ...{ kind, state },
        ...(worker !== undefined && { worker }),
      });
      const none = jobKinds.flatMap((kind) =>
        jobStates.flatMap((state) =>
          (state === 'running' ? deviceKinds : [undefined]).map((worker): Sample => [labels(kind, state, worker), 0]),
        ),
      );
      const counted = await catalog.jobs.count();
      return [
        ...none,
        ...counted.map(({ kind, state, worker, count }): Sample => [labels(kind, state, worker), count]),
      ];
    },
  );
  const oldest = 'How long the job has waited that could have been claimed for longest; 0 where none waits.';
  const ofWait = { name: 'firn_job_oldest_queued_seconds', help: oldest, labelNames: ['kind', 'device'] };
  sampled(registry, ofWait, async () => {
    const none = jobKinds.flatMap((kind) => deviceWishes.map((device): Sample => [{ kind, device }, 0]));
    const waits = await catalog.jobs.oldestQueued();
    return [...none, ...waits.map(({ kind, device, seconds }): Sample => [{ kind, device }, seconds])];
  });
  const ofWorkers = { name: 'firn_workers', help: 'Workers that gave a sign of life lately.', labelNames: ['device'] };
  sampled(registry, ofWorkers, () =>
    Promise.all(
      deviceKinds.map(async (device): Promise<Sample> => [
        { device },
        (await catalog.processes.living('worker', livingMs, device)).count,
      ]),
    ),
  );
  gauge(
    registry,
    'firn_damaged_objects',
    'Stored objects that were found corrupt or missing and are in quarantine.',
    () => catalog.damage.count(),
  );
  usage(registry, catalog);
  gauge(
    registry,
    'firn_database_connections',
    'Connections to the database in use.',
    () => catalog.connections().inUse,
  );
  gauge(
    registry,
    'firn_database_connections_max',
    'Connections that this process may use.',
    () => catalog.connections().max,
  );
  gauge(registry, 'firn_database_waiting', 'Callers that wait for a connection.', () => catalog.connections().waiting);
  gauge(registry, 'firn_native_threads', 'Threads of the native pool.', () => core.stats().threads);
  gauge(registry, 'firn_native_queued', 'Native calls waiting for a thread.', () => core.stats().queued);
  gauge(registry, 'firn_native_running', 'Native calls being worked on.', () => core.stats().running);
  total(registry, 'firn_native_calls_total', 'Native calls that have ended.', () => core.stats().endedCalls);
  total(
    registry,
    'firn_native_call_seconds_total',
    'Time that their callers waited, all added up.',
    () => core.stats().endedMs / 1000,
  );
  deviceMetrics(registry, core);
}

/** Metrics of the device that a worker uses; they have no samples without one. */
export function deviceMetrics(registry: Registry, core: Pick<NativeCore, 'deviceFigures'>): void {
  const ofDevice = (
    series: Pick<SampledSeries, 'name' | 'help' | 'type'>,
    value: (figures: DeviceFigures) => number,
  ): void =>
    sampled(registry, { ...series, labelNames: ['device'] }, () => {
      const figures = core.deviceFigures();
      return figures === undefined ? [] : [[{ device: figures.name }, value(figures)]];
    });
  ofDevice({ name: 'firn_device_lost', help: '1 if the device has failed and is not used any more.' }, ({ lost }) =>
    Number(lost),
  );
  ofDevice(
    { name: 'firn_device_memory_bytes', help: 'Memory of the device that this process may use.' },
    ({ budgetBytes }) => budgetBytes,
  );
  ofDevice(
    { name: 'firn_device_memory_used_bytes', help: 'Memory of the device that it uses.' },
    ({ usedBytes }) => usedBytes,
  );
  ofDevice(
    { name: 'firn_device_memory_peak_bytes', help: 'The most memory of the device that it has used.' },
    ({ peakBytes }) => peakBytes,
  );
  ofDevice(
    { name: 'firn_device_busy_seconds_total', help: 'Time in which the device had work.', type: 'counter' },
    ({ busySeconds }) => busySeconds,
  );
  ofDevice(
    { name: 'firn_device_uploaded_bytes_total', help: 'Bytes sent to the device.', type: 'counter' },
    ({ uploadedBytes }) => uploadedBytes,
  );
  ofDevice(
    { name: 'firn_device_downloaded_bytes_total', help: 'Bytes that came back from the device.', type: 'counter' },
    ({ downloadedBytes }) => downloadedBytes,
  );
  ofDevice(
    { name: 'firn_device_calls_total', help: 'Native calls that the device did.', type: 'counter' },
    ({ works }) => works,
  );
  ofDevice(
    { name: 'firn_device_declined_total', help: 'Native calls that it left to the processor.', type: 'counter' },
    ({ declined }) => declined,
  );
  ofDevice(
    {
      name: 'firn_device_failures_total',
      help: 'Native calls that failed on the device and were done again on the processor.',
      type: 'counter',
    },
    ({ failures }) => failures,
  );
}

/** Counts the bytes that this process's scrubber reads; call the returned function with the bytes of each object. */
export function scrubMetrics(registry: Registry): (bytes: number) => void {
  const registers = [registry];
  const objects = new Counter({
    name: 'firn_scrubbed_objects_total',
    help: 'Stored objects that this process read to their end to look for damage.',
    registers,
  });
  const read = new Counter({ name: 'firn_scrubbed_bytes_total', help: 'Bytes of content read for it.', registers });
  return (bytes) => {
    objects.inc();
    read.inc(bytes);
  };
}

/**
 * How long sums over the whole catalog are cached, in ms: less than most scrape intervals, so that scrapes close
 * together share them.
 */
const usageKeptMs = 10_000;

function usage(registry: Registry, { usage: records }: Catalog): void {
  const registers = [registry];
  let known: { readonly sums: Promise<Usage>; readonly untilMs: number } | undefined;
  const hub = (): Promise<Usage> => {
    if (known === undefined || Date.now() > known.untilMs) {
      const sums = records.hub();
      known = { sums, untilMs: Date.now() + usageKeptMs };
      sums.catch(() => (known = undefined));
    }
    return known.sums;
  };
  new Gauge({
    name: 'firn_logical_bytes',
    help: 'Files of visible checkpoints as they were uploaded, of all namespaces.',
    registers,
    async collect() {
      this.set((await hub()).logical);
    },
  });
  new Gauge({
    name: 'firn_stored_bytes',
    help: 'Bytes in the store that the catalog knows of, by what they are for.',
    labelNames: ['part'],
    registers,
    async collect() {
      for (const [part, bytes] of Object.entries((await hub()).stored)) this.set({ part }, bytes);
    },
  });
}

/** Labels and the current value. */
export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

export interface SampledSeries {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  /** `gauge` by default. */
  readonly type?: 'gauge' | 'counter';
}

/** A series whose values are read at each scrape. Samples with the same labels are added up. */
export function sampled(
  registry: Registry,
  { name, help, labelNames = [], type = 'gauge' }: SampledSeries,
  read: () => readonly Sample[] | Promise<readonly Sample[]>,
): void {
  const configuration = { name, help, labelNames, registers: [registry], collect };
  if (type === 'counter') new Counter(configuration);
  else new Gauge(configuration);

  async function collect(this: Counter | Gauge): Promise<void> {
    const samples = await read();
    this.reset();
    for (const [labels, value] of samples) this.inc(labels, value);
  }
}

function gauge(registry: Registry, name: string, help: string, read: () => number | Promise<number>): void {
  sampled(registry, { name, help }, async () => [[{}, await read()]]);
}

function total(registry: Registry, name: string, help: string, read: () => number): void {
  sampled(registry, { name, help, type: 'counter' }, () => [[{}, read()]]);
}
