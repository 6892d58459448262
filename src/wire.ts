import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { admittanceOf } from './process/admittance.ts';
import { createFirstToken } from './access/create-token.ts';
import { FirnError } from './checkpoint/firn-error.ts';
import { fitsEvalSet } from './compress/eval-set/fits-eval-set.ts';
import type { Config } from './config.ts';
import { createApp } from './http/app.ts';
import { programVersion } from './http/program-version.ts';
import { createOperationsApp } from './http/operations-app.ts';
import { TransferMeter } from './http/watch/transfer-meter.ts';
import { startServer, type RunningServer } from './http/start-server.ts';
import { createIngestContext } from './ingest/ingest-context.ts';
import type { JobWorker } from './jobs/job-worker.ts';
import { gatewayOf } from './process/gateway-of.ts';
import { isClaiming, probesOf } from './process/probe-process.ts';
import { shutDown } from './process/shut-down.ts';
import { announceProcess } from './upkeep/announce-process.ts';
import { queueMerge } from './upkeep/merge/merge-run.ts';
import { startUpkeep } from './process/upkeep-chores.ts';
import { scrubMetrics } from './upkeep/process-metrics.ts';
import { runPeriodically, type Periodic } from './upkeep/run-periodically.ts';
import { damageToLog } from './upkeep/scrub/damage-to-log.ts';
import { startScrubber } from './upkeep/scrub/start-scrubber.ts';
import { type Parts, openParts, openCatalog, openNotices } from './process/open-parts.ts';
import { startJobWorker } from './process/start-job-worker.ts';
import { bestDevice, workerDevices } from './process/worker-devices.ts';
import { startWebhooks } from './process/start-webhooks.ts';

/** A role of a process: serving requests, or running jobs. */
export type Role = 'gateway' | 'worker';
export const bothRoles: readonly Role[] = ['gateway', 'worker'];

/** A running process. */
export interface Firn {
  readonly url: string;
  /** At a server's first start: the text of the token that allows everything. It is shown only here. */
  readonly firstToken?: string;
  /**
   * Stops accepting requests, lets current ones and running jobs end within the configured time, then closes
   * everything.
   */
  close(): Promise<void>;
}

/**
 * Added to the time that the parts of a process take to end, in ms, for closing a pool or a store.
 */
const shutdownMarginMs = 2_000;
const closeMs = 10_000;
/** Longest delay before transferred bytes are recorded, in ms; a killed process loses at most those. */
const transfersEveryMs = 60_000;
/** The remaining traces are dropped if the collector does not take them in this time, in ms. */
const tracesMs = 3_000;
/** Channel on which workers are notified of possible work. */
const jobsChannel = 'jobs';

/**
 * Builds everything and runs the roles. The one place that knows every implementation. An embedded catalog belongs to
 * one process, which has both roles.
 */
export async function wire(config: Config, log: Logger, roles: readonly Role[] = bothRoles): Promise<Firn> {
  if (config.database === undefined && roles.length < bothRoles.length)
    throw new FirnError(
      'invalid-request',
      'A gateway or a worker of its own needs FIRN_DATABASE_URL, the URL of a PostgreSQL server: the embedded ' +
        'catalog belongs to one process. firn without a command runs everything on one machine.',
    );
  await mkdir(config.dataDirectory, { recursive: true });
  const catalog = await openCatalog(config);
  const notices = openNotices(config, log);
  try {
    const isWorker = roles.includes('worker');
    return await start(await openParts(config, log, { catalog, notices }, { isWorker }), roles);
  } catch (error) {
    await notices.close();
    await catalog.close();
    throw error;
  }
}

async function start(parts: Parts, roles: readonly Role[]): Promise<Firn> {
  const { config, catalog, notices, store, log } = parts;
  const ingest = createIngestContext({
    catalog,
    store,
    now: () => catalog.now(),
    newKeyPart: () => randomBytes(16).toString('hex'),
    tracer: parts.watch.tracer,
    fitsEvalSet: fitsEvalSet({ store, graphs: parts.graphs, workDirectory: parts.work.path }),
    ...(config.mergeDeltas && { afterClose: queueMerge }),
    limits: {
      fileBytesMax: config.fileMaxBytes,
      stagedBytesPerRunMax: config.stagedRunMaxBytes,
      stagedBytesMax: config.stagedTotalMaxBytes,
      reservationTtlMs: config.reservationTtlMs,
      uploadTtlMs: config.uploadTtlMs,
    },
  });
  const wakeWorkers = (): void => notices.publish(jobsChannel, '');
  // One sentence, before anything is claimed: who asked for CUDA should not find checkpoints measured without.
  if (roles.includes('worker')) await parts.evaluator.requireDevice();
  const worker = roles.includes('worker') ? startJobWorker(parts) : undefined;
  // Work goes on after the request that woke the worker has ended, so it runs outside that request's context.
  const outsideOfRequests = AsyncLocalStorage.snapshot();
  if (worker !== undefined) notices.subscribe(jobsChannel, () => outsideOfRequests(() => worker.wake()));
  const upkeep = startUpkeep({
    catalog,
    store,
    log,
    workDirectory: parts.work.path,
    ingest,
    ofHub: worker !== undefined,
    alone: config.database === undefined,
    gcGraceMs: config.gcGraceMs,
    onExpired: wakeWorkers,
    scrub: { catalog, store: parts.bareStore, ...damageToLog(log) },
  });
  const scrubber = worker === undefined || config.scrubBytesPerSecond === 0 ? undefined : scrubberOf(parts);
  const isGateway = roles.includes('gateway');
  // Workers may be without a way to the internet, because of the graphs that they evaluate.
  const webhooks = isGateway ? startWebhooks(parts) : undefined;
  const announcing = announceProcess(catalog.processes, {
    id: parts.processId,
    version: programVersion,
    gateway: isGateway,
    worker: () => worker !== undefined && isClaiming(worker),
    device: async () => (worker === undefined ? 'cpu' : bestDevice(await workerDevices(parts))),
    onError: (error) => log.warn({ err: error }, 'the sign of life did not reach the catalog'),
  });
  const readiness = { stopping: false };
  const transfers = new TransferMeter(catalog.usage);
  const metering = startMetering(transfers, log);
  const probes = probesOf({
    ...parts,
    isGateway,
    worker,
    workersMin: config.readyWorkers,
    isStopping: () => readiness.stopping,
  });
  const operations = {
    admittance: admittanceOf(parts),
    probes,
    metrics: parts.watch.metrics,
    tracer: parts.watch.tracer,
    log,
  };
  const running = { worker, upkeep, scrubber, webhooks, announcing, metering };
  try {
    const app = isGateway
      ? createApp({ ...gatewayOf(parts, ingest, wakeWorkers), ...operations, transfers })
      : createOperationsApp(operations);
    const server = await startServer({ app, host: config.host, port: config.port });
    // Created only now: if listening fails, no token is used up.
    const firstToken = config.access === 'tokens' && isGateway ? await createFirstToken(catalog) : undefined;
    return {
      url: server.url,
      ...(firstToken !== undefined && { firstToken }),
      close: () => close(parts, { ...running, server, transfers, readiness }),
    };
  } catch (error) {
    // Requeue claimed jobs, without counting a try, before the caller ends the process.
    await Promise.allSettled(Object.values(running).map((part) => part?.stop(config.drainMs)));
    throw error;
  }
}

interface Running {
  readonly server: RunningServer;
  readonly worker: JobWorker | undefined;
  readonly upkeep: Periodic;
  readonly scrubber: Periodic | undefined;
  readonly webhooks: Periodic | undefined;
  readonly transfers: TransferMeter;
  readonly metering: Periodic;
  readonly announcing: Periodic;
  readonly readiness: { stopping: boolean };
}

/** Ends the process's parts in order; rejects with the first failure. */
async function close(
  { config, evaluator, store, suspects, notices, catalog, watch, work, scratchMemory, decoded, log }: Parts,
  { server, worker, upkeep, scrubber, webhooks, transfers, metering, announcing, readiness }: Running,
): Promise<void> {
  const { drainMs, unreadyMs } = config;
  const drain = (name: string, end: () => Promise<void>) => ({ name, deadlineMs: drainMs + shutdownMarginMs, end });
  const closing = (name: string, end: () => Promise<void>) => [{ name, deadlineMs: closeMs, end }];
  const unready = async (): Promise<void> => {
    readiness.stopping = true;
    await pause(unreadyMs);
  };
  await shutDown(
    [
      [{ name: 'say not ready', deadlineMs: unreadyMs + shutdownMarginMs, end: unready }],
      [
        drain('stop accepting, finish requests', () => server.close(drainMs)),
        drain('hand back jobs', async () => worker?.stop(drainMs)),
        drain('stop upkeep', () => upkeep.stop(drainMs)),
        drain('stop scrubbing', async () => scrubber?.stop(drainMs)),
        drain('stop sending to webhooks', async () => webhooks?.stop(drainMs)),
        drain('stop examining', () => suspects.close()),
        drain('stop metering', () => metering.stop(drainMs)),
        drain('take leave', () => announcing.stop(drainMs)),
      ],
      closing('write transferred bytes', () => transfers.flush()),
      closing('end evaluations', () => evaluator.close()),
      closing('close store', () => store.close()),
      closing('end the cache of decoded files', async () => decoded?.close()),
      closing('remove scratch files', () => work.release()),
      closing('remove files in memory', async () => scratchMemory?.close()),
      [{ name: 'send traces', deadlineMs: tracesMs, end: () => watch.close() }],
      closing('close notices', () => notices.close()),
      closing('close catalog', () => catalog.close()),
    ],
    log,
  );
  log.info('stopped');
}

/** Records transferred bytes periodically, and once more at the end of the process. */
function startMetering(transfers: TransferMeter, log: Logger): Periodic {
  return runPeriodically(() => transfers.flush(), {
    pauseMs: transfersEveryMs,
    onError: (error) => log.error({ err: error }, 'transferred bytes could not be written; they are kept'),
  });
}

function scrubberOf({ config, catalog, bareStore, watch: { metrics, tracer }, log }: Parts): Periodic {
  const { scrubBytesPerSecond: bytesPerSecond, scrubEveryMs: everyMs } = config;
  return startScrubber({
    catalog,
    store: bareStore,
    tracer,
    log,
    bytesPerSecond,
    everyMs,
    onRead: scrubMetrics(metrics),
  });
}
