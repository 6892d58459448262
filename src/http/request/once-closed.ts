import type { Context } from 'hono';
import type { AppEnv } from '../app-env.ts';

/**
 * Runs `work` once the connection of an answer has the last byte or is closed; at once if it is closed already. False
 * if there is no connection: the caller must then run `work`.
 */
export function onceClosed(c: Context<AppEnv>, work: () => void): boolean {
  const outgoing = c.env?.outgoing;
  if (outgoing === undefined) return false;
  // The event does not fire a second time.
  if (outgoing.closed) work();
  else outgoing.once('close', work);
  return true;
}
