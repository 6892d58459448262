import { collectDefaultMetrics, Counter, Gauge, type Registry } from 'prom-client';
import type { Catalog } from '../catalog/catalog.ts';
import type { Usage } from '../catalog/usage-records.ts';
import type { NativeCore } from '../native/core.ts';

/** Adds what an operator watches besides requests: checkpoints and jobs by state, the native pool, and the process itself. Counts are taken when somebody asks. */
export function registerProcessMetrics(registry: Registry, { catalog, core }: { readonly catalog: Catalog; readonly core: NativeCore }): void {
  collectDefaultMetrics({ register: registry, prefix: 'firn_' });
  byState(registry, 'firn_checkpoints', 'Checkpoints in the catalog, hidden ones included.', () => catalog.checkpoints.count());
  byState(registry, 'firn_jobs', 'Jobs in the queue, finished ones as long as they are kept.', () => catalog.jobs.count());
  gauge(registry, 'firn_damaged_objects', 'Stored objects that were found corrupt or missing and are in quarantine.', () => catalog.damage.count());
  usage(registry, catalog);
  gauge(registry, 'firn_native_threads', 'Threads of the native pool.', () => core.stats().threads);
  gauge(registry, 'firn_native_queued', 'Native calls waiting for a thread.', () => core.stats().queued);
  gauge(registry, 'firn_native_running', 'Native calls being worked on.', () => core.stats().running);
}

/** Counts what the scrubber of this process reads; call what it returns with the bytes of each object. */
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

/** How long sums over the whole catalog serve for, in ms: less than most scrape intervals, several of which meet. */
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

function byState(registry: Registry, name: string, help: string, count: () => Promise<Readonly<Record<string, number>>>): void {
  new Gauge({
    name,
    help,
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      for (const [state, value] of Object.entries(await count())) this.set({ state }, value);
    },
  });
}

function gauge(registry: Registry, name: string, help: string, read: () => number | Promise<number>): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      this.set(await read());
    },
  });
}
