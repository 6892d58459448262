import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import type { Catalog } from '../catalog/catalog.ts';
import type { NativeCore } from '../native/core.ts';

/** Adds what an operator watches besides requests: checkpoints and jobs by state, the native pool, and the process itself. Counts are taken when somebody asks. */
export function registerProcessMetrics(registry: Registry, { catalog, core }: { readonly catalog: Catalog; readonly core: NativeCore }): void {
  collectDefaultMetrics({ register: registry, prefix: 'firn_' });
  byState(registry, 'firn_checkpoints', 'Checkpoints in the catalog, hidden ones included.', () => catalog.checkpoints.count());
  byState(registry, 'firn_jobs', 'Jobs in the queue, finished ones as long as they are kept.', () => catalog.jobs.count());
  gauge(registry, 'firn_native_threads', 'Threads of the native pool.', () => core.stats().threads);
  gauge(registry, 'firn_native_queued', 'Native calls waiting for a thread.', () => core.stats().queued);
  gauge(registry, 'firn_native_running', 'Native calls being worked on.', () => core.stats().running);
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

function gauge(registry: Registry, name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}
