import type { CheckpointState } from '../../contract/checkpoint-records.ts';

/**
 * The states from which each state may be entered: open -> queued -> working -> terminal, any unfinished one -> failed
 * or cancelled. A working checkpoint may be entered again (a new worker took over) or go back to the queue (its worker
 * was stopped). No move leaves a terminal state; only `CheckpointRecords.retry` puts a failed checkpoint back.
 */
const sources: Readonly<Record<CheckpointState, readonly CheckpointState[]>> = {
  open: [],
  queued: ['open', 'working'],
  working: ['queued', 'working'],
  ready: ['working'],
  failed: ['open', 'queued', 'working'],
  cancelled: ['open', 'queued', 'working'],
};

/** The states in `from` that may become `to`. */
export function legalSources(from: readonly CheckpointState[], to: CheckpointState): CheckpointState[] {
  return from.filter((state) => sources[to].includes(state));
}

export function isTerminal(state: CheckpointState): boolean {
  return state === 'ready' || state === 'failed' || state === 'cancelled';
}
