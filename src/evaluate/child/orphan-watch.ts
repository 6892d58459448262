import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** How often a child checks for its parent. */
const orphanPollMs = 1000;

/**
 * Ends this process soon after its parent is gone, however the parent ended. It watches from a thread of its own,
 * because an evaluation may block the main one for any time. Resolves when the thread is watching: until then the
 * thread needs the main one in order to start. Its source is plain text, so that it starts without a loader.
 */
export async function endWithParent(): Promise<void> {
  const source = `
    const parent = ${process.ppid};
    setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, ${orphanPollMs});
    require('node:worker_threads').parentPort.postMessage('watching');
  `;
  const watch = new Worker(source, { eval: true, execArgv: [] });
  await once(watch, 'message');
  watch.unref();
}
