import type { Catalog } from '../catalog/contract/catalog.ts';
import { defaultSafetensorsLimits, type SafetensorsLimits } from '../checkpoint/safetensors/safetensors-limits.ts';
import type { AskedFit } from '../compress/eval-set/fits-eval-set.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { noTracer, type Tracer } from '../telemetry/tracer.ts';
import { defaultIngestLimits, type IngestLimits } from './ingest-limits.ts';
import { StagingBudget } from './stage/staging-budget.ts';

/**
 * Rejects with what says why no model of the layout could ever be measured with the eval set; any other failure says
 * nothing about the two.
 */
export type FitsEvalSet = (input: AskedFit) => Promise<void>;

/** What the verbs of this room work with. */
export interface IngestContext {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly limits: IngestLimits;
  readonly headerLimits: SafetensorsLimits;
  readonly budget: StagingBudget;
  /** The clock that the times of records and objects are of. */
  readonly now: () => Promise<Date>;
  /** 32 fresh hex digits. */
  readonly newKeyPart: () => string;
  readonly tracer: Tracer;
  /** Asked before a run measures its first checkpoint with an eval set; nothing is refused early without it. */
  readonly fitsEvalSet?: FitsEvalSet;
}

export interface IngestOptions {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly limits?: Partial<IngestLimits>;
  readonly now: () => Promise<Date>;
  readonly newKeyPart: () => string;
  readonly tracer?: Tracer;
  readonly fitsEvalSet?: FitsEvalSet;
}

export function createIngestContext({
  catalog,
  store,
  limits: given,
  now,
  newKeyPart,
  tracer = noTracer,
  fitsEvalSet,
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
  };
}

/**
 * Kind of the job that takes a committed checkpoint to ready; its subject is the checkpoint's id, its order the run's.
 */
export const encodeJobKind = 'encode';
/**
 * Objects of uploads: `staged/<checkpoint id, or random for a push>/<random>`, `evalsets/<eval set id>/<random>`, and
 * `pieces/<upload id>/<random>` while one comes in several requests.
 */
export const stagedPrefix = 'staged/';
export const evalSetPrefix = 'evalsets/';
export const piecePrefix = 'pieces/';
