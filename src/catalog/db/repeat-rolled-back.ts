import { setTimeout as pause } from 'node:timers/promises';
import { sqlStateOf } from './database-error.ts';

/** Tries of what the server undid because it met another transaction. */
const triesMax = 5;
/** Longest pause before the second try, in ms; doubles with each. */
const pauseMs = 20;
/** SQLSTATEs serialization_failure and deadlock_detected: the server has undone everything. */
const rolledBack: ReadonlySet<string> = new Set(['40001', '40P01']);

/**
 * Runs a statement or transaction again that the server undid for meeting another one. `work` begins anew each time, so
 * it keeps its effects in the database.
 */
export async function repeatRolledBack<T>(work: () => Promise<T>, random: () => number = Math.random): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const state = sqlStateOf(error);
      if (state === undefined || !rolledBack.has(state) || tries >= triesMax) throw error;
      await pause(random() * pauseMs * 2 ** (tries - 1));
    }
  }
}
