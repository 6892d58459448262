import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import { programVersion } from '../http/program-version.ts';
import type { RestoredBytes } from '../restore/metered-downloads.ts';
import type { StoreCall } from '../store/watch/metered-store.ts';
import { meteredTracer } from '../telemetry/metered-tracer.ts';
import type { RunningTraces } from '../telemetry/otlp-tracer.ts';
import { noTracer, type Tracer } from '../telemetry/tracer.ts';
import { restoreMetrics, storeMetrics } from '../upkeep/storage-metrics.ts';
import { workMetrics } from '../upkeep/work-metrics.ts';

/** Counts the work of a process, and sends traces if a collector is configured. */
export interface Watch {
  readonly metrics: Registry;
  readonly tracer: Tracer;
  readonly onStoreCall: (call: StoreCall) => void;
  readonly onStoreRetry: () => void;
  readonly onRestored: (restored: RestoredBytes) => void;
  /** Sends the remaining traces. Never rejects. */
  close(): Promise<void>;
}

/** Starts metrics and traces of this process. Close it. */
export async function watchProcess(
  { otlp }: Pick<Config, 'otlp'>,
  processId: string,
  log: Pick<Logger, 'warn'>,
): Promise<Watch> {
  const metrics = new Registry();
  const traces = otlp && (await openTraces(otlp, processId, log));
  const { onCall, onRetry } = storeMetrics(metrics);
  return {
    metrics,
    tracer: meteredTracer(traces?.tracer ?? noTracer, workMetrics(metrics)),
    onStoreCall: onCall,
    onStoreRetry: onRetry,
    onRestored: restoreMetrics(metrics),
    close: async () => traces?.close(),
  };
}

/** OpenTelemetry is loaded only if traces are configured. */
async function openTraces(
  otlp: NonNullable<Config['otlp']>,
  instanceId: string,
  log: Pick<Logger, 'warn'>,
): Promise<RunningTraces> {
  const { startTraces } = await import('../telemetry/otlp-tracer.ts');
  return startTraces({
    ...otlp,
    version: programVersion,
    instanceId,
    onTrouble: (trouble) => log.warn(trouble, 'traces do not reach the collector'),
  });
}
