import type { Context } from 'hono';
import type { AppEnv } from '../app-env.ts';

/**
 * Runs `work` once the connection of an answer has the last byte or is gone, at once where it is gone already; false
 * where there is none, and `work` is left to the caller.
 */
export function onceClosed(c: Context<AppEnv>, work: () => void): boolean {
  const outgoing = c.env?.outgoing;
  if (outgoing === undefined) return false;
  // Its event does not come a second time.
  if (outgoing.closed) work();
  else outgoing.once('close', work);
  return true;
}
