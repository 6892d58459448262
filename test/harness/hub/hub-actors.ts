import {
  classifierBatches,
  classifierFile,
  classifierGraph,
  classifierRows,
  classifierSpec,
  classifierWeights,
} from '../../acceptance/classifier.ts';
import { HubActor, type SenderOf } from './hub-actor.ts';
import { fileOf } from './hub-file.ts';
import { bringTwoParts, changesOfExact, changesOfLossy, create, lifeOfRepository } from './hub-operations.ts';

/** Kinds of operations that the clients together do in one round. */
export const hubOperations: readonly string[] = [
  'branch',
  'chunks',
  'chunks by v1',
  'copy',
  'create',
  'delete a branch',
  'delete a file',
  'delete a folder',
  'delete a tag',
  'move',
  'parts',
  'remove',
  'squash',
  'tag',
  'text',
  'weights',
];
/** A config for the weights of the lossy repository, so that nothing has to be evaluated. */
const fixedConfig = { bins: 8, embeddingBins: 16, pruneFraction: 0.2, protectFraction: 0.005 };

/** Acknowledged operations of all clients, by kind. */
export function operationsOf(actors: readonly HubActor[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { done } of actors)
    for (const [kind, count] of Object.entries(done)) counts[kind] = (counts[kind] ?? 0) + count;
  return counts;
}

/**
 * The hub clients of the long tests: one with an exact repository, one with a lossy one, and one that creates and
 * deletes repositories.
 */
export function hubActors(
  namespace: string,
  { seed, withTwoParts }: { readonly seed: number; readonly withTwoParts: boolean },
): HubActor[] {
  return [
    new HubActor({
      namespace,
      seed,
      first: create('hub'),
      round: [...changesOfExact, ...(withTwoParts ? [bringTwoParts] : [])],
    }),
    new HubActor({
      namespace,
      seed: seed + 1,
      first: create('lossy'),
      round: changesOfLossy,
      weights: (step) => fileOf(() => classifierFile(classifierWeights(step, 4))),
      isLossy: true,
    }),
    new HubActor({ namespace, seed: seed + 2, round: lifeOfRepository, inOrder: true }),
  ];
}

/** Lets each client do its first operation, and makes the lossy repository lossy. */
export async function prepareHub(actors: readonly HubActor[], senderOf: SenderOf): Promise<void> {
  for (const actor of actors) await actor.act(senderOf);
  const send = senderOf(false);
  for (const { state } of actors.filter(({ isLossy }) => isLossy)) {
    const repository = `/v1/repositories/${state!.name}`;
    const set = `${repository}/eval-sets/held-out`;
    await send('POST', `${repository}/eval-sets`, { name: 'held-out', spec: classifierSpec });
    await send('PUT', `${set}/graph`, classifierGraph());
    await send('PUT', `${set}/batches`, classifierBatches(classifierRows(classifierWeights(0))));
    await send('POST', `${set}/commit`);
    await send('POST', `${repository}/runs`, { name: 'default', search: { fixedConfig } });
    const hub = { fidelity: 'lossy', evalSet: 'held-out', thresholds: { loss: 0.05 } };
    await send('PATCH', repository, { hub });
  }
}
