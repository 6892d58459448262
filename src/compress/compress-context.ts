import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { FirnError } from '../checkpoint/firn-error.ts';
import type { Evaluator } from '../evaluate/evaluator.ts';
import type { CacheCounts } from '../restore/byte-cache.ts';
import type { NativeCore } from '../native/core.ts';
import type { Restorer } from '../restore/restorer.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { Tracer } from '../telemetry/tracer.ts';
import type { ScratchMemory } from './scratch/scratch-memory.ts';
import type { GraphCache } from './eval-set/describe-local-graph.ts';

/** Services of the process that compressing a checkpoint uses. */
export interface CompressContext {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly core: NativeCore;
  readonly evaluator: Evaluator;
  /** Shared with downloads; sees committed packages only. */
  readonly restorer: Restorer;
  /** A restorer with caches of its own, for packages that are not committed yet. */
  readonly freshRestorer: () => Restorer;
  /** Cached descriptions of eval graphs. */
  readonly graphs: GraphCache;
  /** Scratch files; each encode has a directory of its own there, removed at its end. */
  readonly workDirectory: string;
  /** For the model files that evaluations map; absent: they are scratch files too. */
  readonly scratchMemory?: ScratchMemory | undefined;
  readonly cacheMaxBytes: number;
  /** Counts of the cache of uploaded blocks. */
  readonly cacheCounts?: CacheCounts;
  readonly chainLengthMax: number;
  /** Blocks in work at once. */
  readonly blockParallel: number;
  /** Called when a checkpoint is begun again on the processor because its evaluation failed on the GPU. */
  readonly onDeviceFailure?: (error: FirnError, checkpointId: string) => void;
  /** Queues the jobs that follow a checkpoint, in the transaction that makes it ready. */
  readonly afterCommit?: (tx: Catalog, checkpoint: Checkpoint) => Promise<void>;
  readonly tracer: Tracer;
  /** Sends a note to all listeners; never awaited. */
  readonly publish: (checkpointId: string, note: EncodeNote) => void;
}

/** A note for a person who watches an upload: a phase began, or the catalog changed (a state, a trial). */
export type EncodeNote = { readonly type: 'phase'; readonly phase: EncodePhase } | { readonly type: 'changed' };

export type EncodePhase = 'read' | 'search' | 'encode' | 'verify';
