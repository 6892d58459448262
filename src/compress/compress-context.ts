import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { Evaluator } from '../evaluate/evaluator.ts';
import type { CacheCounts } from '../restore/byte-cache.ts';
import type { NativeCore } from '../native/core.ts';
import type { Restorer } from '../restore/restorer.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { Tracer } from '../telemetry/tracer.ts';
import type { GraphCache } from './eval-set/describe-local-graph.ts';

/** What compressing a checkpoint needs of the process. */
export interface CompressContext {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly core: NativeCore;
  readonly evaluator: Evaluator;
  /** Shared with downloads; sees committed packages only. */
  readonly restorer: Restorer;
  /** A restorer with caches of its own, for packages that are not committed yet. */
  readonly freshRestorer: () => Restorer;
  /** Eval graphs described before. */
  readonly graphs: GraphCache;
  /** Scratch files; each encode has a directory of its own there, removed at its end. */
  readonly workDirectory: string;
  readonly cacheMaxBytes: number;
  /** Of the blocks of uploads that encodes keep. */
  readonly cacheCounts?: CacheCounts;
  readonly chainLengthMax: number;
  /** Blocks in work at once. */
  readonly blockParallel: number;
  /** Queues what follows a checkpoint, in the transaction that makes it ready. */
  readonly afterCommit?: (tx: Catalog, checkpoint: Checkpoint) => Promise<void>;
  readonly tracer: Tracer;
  /** Tells whoever listens; never awaited. */
  readonly publish: (checkpointId: string, note: EncodeNote) => void;
}

/**
 * What a person watching an upload wants to know: a phase began, or the catalog has something new (a state, a trial).
 */
export type EncodeNote = { readonly type: 'phase'; readonly phase: EncodePhase } | { readonly type: 'changed' };

export type EncodePhase = 'read' | 'search' | 'encode' | 'verify';
