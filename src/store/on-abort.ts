import { setMaxListeners } from 'node:events';

/**
 * Calls `listener` once when the signal fires, never for one that has fired. Returns what ends the listening. As many
 * may listen to one signal as there is work under it, which Node would take for a leak.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) return () => undefined;
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
