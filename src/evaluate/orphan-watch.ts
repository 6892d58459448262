import { Worker } from 'node:worker_threads';

/** How often a child looks for its parent. */
const orphanPollMs = 1000;

/**
 * Ends this process soon after its parent is gone, however the parent ended. It watches from a thread of its own, because an
 * evaluation blocks the main one for as long as a graph likes. The thread's source is plain text, so that it starts without a loader.
 */
export function endWithParent(): void {
  const source = `
    const parent = process.ppid;
    setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, ${orphanPollMs});
  `;
  new Worker(source, { eval: true, execArgv: [], stdout: false }).unref();
}
