import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Repository } from '../catalog/contract/repository-records.ts';
import { checkEvalSet } from '../compress/eval-set/check-eval-set.ts';
import { checkWithCheckpoint } from '../compress/eval-set/check-with-checkpoint.ts';
import type { GraphCache } from '../compress/eval-set/describe-local-graph.ts';
import { evalSetDirectory } from '../compress/eval-set/local-eval-set.ts';
import type { Evaluator } from '../evaluate/evaluator.ts';
import type { Gateway } from '../http/gateway.ts';
import { paceWindowMs } from '../http/request/body/body-pace.ts';
import type { ProgressBus } from '../http/progress/progress-bus.ts';
import { createHub } from '../hub/hub.ts';
import { cancelCheckpoint } from '../ingest/checkpoint/cancel-checkpoint.ts';
import { cancelEstimate, estimateCheckpoint } from '../ingest/checkpoint/estimate-checkpoint.ts';
import { changeRun } from '../ingest/run/change-run.ts';
import { createRun } from '../ingest/run/create-run.ts';
import type { IngestContext } from '../ingest/ingest-context.ts';
import { createIngest } from '../ingest/ingest.ts';
import { createResumable } from '../ingest/resumable/resumable.ts';
import { retryCheckpoint } from '../ingest/checkpoint/retry-checkpoint.ts';
import { whenTheyExpire } from '../ingest/checkpoint/reservation/when-they-expire.ts';
import { whatItWaitsFor, whatTheyWaitFor } from '../ingest/checkpoint/what-it-waits-for.ts';
import type { NativeCore } from '../native/core.ts';
import { Downloads } from '../restore/downloads.ts';
import { meteredDownloads } from '../restore/metered-downloads.ts';
import type { DecodedFiles } from '../restore/decoded/decoded-files.ts';
import type { Restorer } from '../restore/restorer.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { createXetHasher, onceMade } from '../xet/xet-hash.ts';
import { tracedVerbs } from '../telemetry/traced-verbs.ts';
import { deleteCheckpoint } from '../upkeep/delete-checkpoint.ts';
import { deleteRun } from '../upkeep/delete-run.ts';
import type { Watch } from './watch-process.ts';
import { freeBytesOf, type WorkDirectory } from './work-directory.ts';

/** The parts of a gateway. */
export interface GatewayParts {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly core: NativeCore;
  readonly evaluator: Evaluator;
  readonly restorer: Restorer;
  readonly decoded: DecodedFiles | undefined;
  readonly graphs: GraphCache;
  readonly progress: ProgressBus;
  readonly work: WorkDirectory;
  readonly config: Pick<Config, 'evalMemoryMaxBytes' | 'uploadBytesPerSecondMin' | 'webhooksToPrivate'>;
  readonly watch: Watch;
}

/** The context of a gateway's routes, except what every process has. */
export function gatewayOf(
  parts: GatewayParts,
  ingestContext: IngestContext,
  wakeWorkers: () => void,
): Omit<Gateway, 'admittance' | 'probes' | 'metrics' | 'tracer' | 'log' | 'transfers'> {
  const { catalog, store, core, evaluator, restorer, decoded, graphs, progress, work } = parts;
  const { tracer, onRestored } = parts.watch;
  const workDirectory = work.path;
  const ingest = tracedVerbs(
    tracer,
    'ingest',
    createIngest(ingestContext, (evalSet) => checkEvalSet({ store, evaluator, graphs, workDirectory }, evalSet)),
  );
  const waking = async <T>(work: Promise<T>): Promise<T> => {
    const done = await work;
    wakeWorkers();
    return done;
  };
  const downloads = meteredDownloads(new Downloads({ catalog, store, core, restorer, decoded }), onRestored);
  return {
    bodyPace: { bytesPerSecondMin: parts.config.uploadBytesPerSecondMin, windowMs: paceWindowMs },
    catalog,
    progress,
    webhooksToPrivate: parts.config.webhooksToPrivate,
    evalSets: {
      check: checkWithCheckpoint({
        catalog,
        store,
        evaluator,
        graphs,
        workDirectory,
        downloads,
        modelBytesMax: parts.config.evalMemoryMaxBytes,
        freeBytes: freeBytesOf,
      }),
    },
    runs: {
      create: (repository, input, signal) =>
        createRun({ ...ingestContext, newSeed: newSeedOf(repository, input.name) }, repository, input, signal),
      change: (run, change, options) => changeRun(ingestContext, run, change, options),
      delete: (run, precondition) => deleteRun({ catalog }, run, precondition),
    },
    uploads: {
      ...ingest,
      reserveFolder: (run, folder, signal) => waking(ingest.reserveFolder(run, folder, signal)),
      commitCheckpoint: (run, checkpoint, options) => waking(ingest.commitCheckpoint(run, checkpoint, options)),
      pushCheckpoint: (run, push) => waking(ingest.pushCheckpoint(run, push)),
      deleteEvalSet: async (evalSet, precondition) => {
        await ingest.deleteEvalSet(evalSet, precondition);
        await rm(join(evalSetDirectory(workDirectory), evalSet.id), { recursive: true, force: true });
      },
    },
    resumable: tracedVerbs(tracer, 'uploads', createResumable(ingestContext)),
    checkpoints: {
      cancel: (checkpoint, precondition) => waking(cancelCheckpoint({ catalog }, checkpoint, precondition)),
      retry: (run, checkpoint, change, options) =>
        waking(retryCheckpoint(ingestContext, run, checkpoint, change, options)),
      estimate: (run, checkpoint, wish) => waking(estimateCheckpoint(ingestContext, run, checkpoint, wish)),
      cancelEstimate: (checkpoint) => waking(cancelEstimate(catalog, checkpoint)),
      waitsFor: (checkpoint) => whatItWaitsFor(ingestContext, checkpoint),
      allWaitFor: (checkpoints) => whatTheyWaitFor(ingestContext, checkpoints),
      expire: (asOf, checkpoints) => whenTheyExpire({ ...ingestContext, catalog: asOf }, checkpoints),
      delete: (checkpoint, precondition) => deleteCheckpoint({ catalog }, checkpoint, precondition),
    },
    downloads,
    hub: tracedVerbs(
      tracer,
      'hub',
      createHub({
        ...ingestContext,
        downloads,
        wakeWorkers,
        xetHasher: onceMade(createXetHasher),
        createRun: (tx, repository, input) =>
          createRun({ catalog: tx, newSeed: newSeedOf(repository, input.name) }, repository, input),
      }),
    ),
  };
}

function newSeedOf({ namespace, name }: Repository, run: string): () => string {
  return () => seedOf(`${namespace}/${name}@${run}`);
}

/**
 * Unsigned 64-bit seed in decimal, derived from the run's name, so that the same pushes give the same bytes on every
 * machine.
 */
function seedOf(name: string): string {
  return createHash('sha256').update(name).digest().readBigUInt64LE().toString();
}
