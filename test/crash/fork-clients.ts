import {
  deleteResource,
  forkedRun,
  movingFile,
  repository,
  send,
  sha256,
  untilKilled,
  type Acknowledged,
} from './crash-clients.ts';

/** Forks that exist at once. */
const liveMax = 2;

/** Runs forked so far. */
export interface Forks {
  made: number;
  live: string[];
}

/**
 * Forks the newest acknowledged step of a run, pushes one step to the fork, and deletes the oldest fork, over and over
 * until the hub dies, or for `roundsMax` rounds. Adds answered requests to `acknowledged`; rejects as
 * `pushUntilKilled`.
 */
export function forkUntilKilled(
  url: string,
  forks: Forks,
  roundsMax: number,
  acknowledged: Acknowledged[],
): Promise<void> {
  return untilKilled(url, async () => {
    for (let round = 0; round < roundsMax; round++) {
      const parent = acknowledged.findLast(({ run, deletion }) => run === forkedRun && deletion === undefined);
      if (parent === undefined) return;
      if (forks.live.length === liveMax && !(await deleteFork(url, forks.live[0]!, acknowledged))) return;
      if (forks.live.length === liveMax) forks.live.shift();
      await makeFork(url, `fork-${forks.made}`, parent.step, acknowledged);
      forks.live.push(`fork-${forks.made++}`);
    }
  });
}

/** A fork whose answer was lost by a kill exists already, or is made under another name the next time. */
async function makeFork(url: string, run: string, parentStep: number, acknowledged: Acknowledged[]): Promise<void> {
  const known = await fetch(`${url}${repository}/runs/${run}`);
  await known.arrayBuffer();
  if (known.status === 404)
    await send(url, 'POST', `${repository}/runs`, { name: run, forkFrom: { run: forkedRun, step: parentStep } });
  const step = parentStep + 1;
  const file = movingFile(step);
  await send(url, 'PUT', `${repository}/runs/${run}/checkpoints/${step}`, file);
  acknowledged.push({ run, step, path: 'model.safetensors', sha256: sha256(file), committed: true });
}

function deleteFork(url: string, run: string, acknowledged: readonly Acknowledged[]): Promise<boolean> {
  const receipts = acknowledged.filter((each) => each.run === run && each.deletion !== 'done');
  return receipts.length === 0 ? Promise.resolve(true) : deleteResource(url, `${repository}/runs/${run}`, receipts);
}
