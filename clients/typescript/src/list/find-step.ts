import type { Hub } from '../open-hub.ts';
import type { CheckpointTarget } from '../push/push-checkpoint.ts';
import type { Target } from '../target.ts';

/**
 * A checkpoint with its step as a number. Without one, or with `latest`, it is the newest ready one of the run, as the
 * hub says. Throws `not-found` if there is none.
 */
export async function findStep(hub: Hub, target: Target & { readonly run: string }): Promise<CheckpointTarget> {
  if (typeof target.step === 'number') return { ...target, step: target.step };
  const { data } = await hub.api.GET('/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}', {
    params: { path: { ...target, step: 'latest' } },
  });
  return { ...target, step: data!.step };
}
