import type { Catalog } from '../catalog/contract/catalog.ts';
import { defaultSafetensorsLimits, type SafetensorsLimits } from '../checkpoint/safetensors/safetensors-limits.ts';
import type { AskedFit } from '../compress/eval-set/fits-eval-set.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { noTracer, type Tracer } from '../telemetry/tracer.ts';
import { defaultIngestLimits, type IngestLimits } from './ingest-limits.ts';
import type { AfterClose } from './run/close-run.ts';
import { StagingBudget } from './stage/staging-budget.ts';

/**
 * Rejects with the reason why the eval set can measure no model of the layout; any other failure does not concern the
 * two.
 */
export type FitsEvalSet = (input: AskedFit) => Promise<void>;

/** Dependencies of this room's verbs. */
export interface IngestContext {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly limits: IngestLimits;
  readonly headerLimits: SafetensorsLimits;
  readonly budget: StagingBudget;
  /** The clock of the times in records and objects. */
  readonly now: () => Promise<Date>;
  /** 32 random hex digits. */
  readonly newKeyPart: () => string;
  readonly tracer: Tracer;
  /** Called before a run measures its first checkpoint with an eval set; without it nothing is refused early. */
  readonly fitsEvalSet?: FitsEvalSet;
  readonly afterClose?: AfterClose;
}

export interface IngestOptions {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly limits?: Partial<IngestLimits>;
  readonly now: () => Promise<Date>;
  readonly newKeyPart: () => string;
  readonly tracer?: Tracer;
  readonly fitsEvalSet?: FitsEvalSet;
  readonly afterClose?: AfterClose;
}

export function createIngestContext({
  catalog,
  store,
  limits: given,
  now,
  newKeyPart,
  tracer = noTracer,
  fitsEvalSet,
  afterClose,
}: IngestOptions): IngestContext {
  const limits = { ...defaultIngestLimits, ...given };
  const headerLimits = { ...defaultSafetensorsLimits, headerBytesMax: limits.headerBytesMax };
  const budget = new StagingBudget(limits, newKeyPart);
  return {
    catalog,
    store,
    limits,
    headerLimits,
    budget,
    now,
    newKeyPart,
    tracer,
    ...(fitsEvalSet !== undefined && { fitsEvalSet }),
    ...(afterClose !== undefined && { afterClose }),
  };
}

/**
 * Kind of the job that encodes a committed checkpoint. Its subject is the checkpoint's id, its order key the run's.
 */
export const encodeJobKind = 'encode';
/** Kind of the jobs that find out what a checkpoint would take at other thresholds; the checkpoint is their subject. */
export const estimateJobKind = 'estimate';
/**
 * Keys of uploaded objects: `staged/<checkpoint id, or random for a push>/<random>`, `evalsets/<eval set id>/<random>`,
 * `pieces/<upload id>/<random>` for an upload in several requests, `blobs/<repository id>/<random>` for a file of hub
 * commits, and `xorbs/<repository id>/<random>` for chunks of such files.
 */
export const stagedPrefix = 'staged/';
export const evalSetPrefix = 'evalsets/';
export const piecePrefix = 'pieces/';
export const blobPrefix = 'blobs/';
export const xorbPrefix = 'xorbs/';
