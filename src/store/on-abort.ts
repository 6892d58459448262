import { setMaxListeners } from 'node:events';

/**
 * Calls `listener` once when the signal fires; never if it has fired already. Returns a function that stops listening.
 * Lifts Node's limit of listeners, because a signal may serve any number of operations.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) return () => undefined;
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
