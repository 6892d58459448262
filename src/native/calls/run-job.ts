import type { AbortableJobs } from './abortable-jobs.ts';
import type { Addon, EngineHandle, Started } from '../addon.ts';
import type { DeviceChoice } from '../core.ts';
import { cancelledError, nativeError } from '../check/native-status.ts';

export interface JobRunner {
  readonly addon: Addon;
  readonly engine: EngineHandle;
  readonly abortableJobs: AbortableJobs;
  /** Jobs that have ended, successfully or not; the time includes waiting for a thread. */
  readonly ended: { calls: number; ms: number };
  /** Of the device, if it was opened. */
  readonly deviceKind: DeviceChoice['kind'] | undefined;
  /** Scopes of names on the device, numbered from 1: those of one device differ, whichever of its cores opened them. */
  readonly scopes: { opened: number };
}

/**
 * Starts one native job and waits for it. An exception of `start` (wrong arguments) becomes a rejection. When `signal`
 * fires, a waiting job is taken out of the queue and rejects `cancelled` at once; a running one ends first, so that its
 * inputs are free when the promise settles, and then rejects `cancelled` as well. Its additions to a sketch or to token
 * counts remain.
 */
export async function runJob<T>(
  runner: JobRunner,
  signal: AbortSignal | undefined,
  start: () => Started<T>,
): Promise<T> {
  if (signal?.aborted) throw cancelledError(signal);
  const started = start();
  if (typeof started === 'number') throw nativeError(started);
  const [job, result] = started;
  const startedMs = performance.now();
  if (signal !== undefined) runner.abortableJobs.add(signal, job);
  try {
    const value = await result;
    if (signal?.aborted) throw cancelledError(signal);
    return value;
  } catch (error) {
    throw signal?.aborted ? cancelledError(signal) : nativeError(error);
  } finally {
    runner.ended.calls += 1;
    runner.ended.ms += performance.now() - startedMs;
    if (signal !== undefined) runner.abortableJobs.remove(signal, job);
  }
}
