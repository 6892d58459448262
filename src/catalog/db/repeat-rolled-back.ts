import { setTimeout as pause } from 'node:timers/promises';
import { sqlStateOf } from './database-error.ts';

/** Tries of work that the server rolled back because of another transaction. */
const triesMax = 5;
/** Longest pause before the second try, in ms; doubles with each. */
const pauseMs = 20;
/** SQLSTATEs serialization_failure and deadlock_detected: the server has rolled everything back. */
const rolledBack: ReadonlySet<string> = new Set(['40001', '40P01']);

/**
 * Repeats a statement or transaction that the server rolled back because of another one. `work` starts anew each time,
 * so its only effects should be in the database.
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
