import { FirnProblem } from '../firn-problem.ts';
import type { Hub } from '../open-hub.ts';
import type { CheckpointTarget } from '../push/push-checkpoint.ts';
import { formatTarget, type Target } from '../target.ts';
import { listCheckpoints } from './lists.ts';

/**
 * A checkpoint with its step as a number. Without one, or with `latest`, it is the newest ready one of the run. Throws
 * `not-found` if there is none.
 */
export async function findStep(hub: Hub, target: Target & { readonly run: string }): Promise<CheckpointTarget> {
  if (typeof target.step === 'number') return { ...target, step: target.step };
  const ready = (await listCheckpoints(hub, target)).filter(({ state }) => state === 'ready');
  const latest = ready.at(-1);
  if (latest === undefined)
    throw new FirnProblem(404, {
      code: 'not-found',
      detail: `No checkpoint of ${formatTarget({ ...target, step: undefined })} is ready yet.`,
    });
  return { ...target, step: latest.step };
}
