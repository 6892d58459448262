import { createHubRepository, pushRound, type AcknowledgedCommit, type SendHub } from '../harness/hub-rounds.ts';
import { Refused, untilKilled } from './crash-clients.ts';

/** Rounds of the hub client so far. */
export interface HubRounds {
  next: number;
  readonly acknowledged: AcknowledgedCommit[];
}

export async function prepareHub(url: string): Promise<void> {
  await createHubRepository(sender(url));
}

/**
 * Pushes and commits as hub clients do, over and over until the hub dies, or for `roundsMax` rounds. A round whose
 * answer was lost is pushed again. Rejects as `pushUntilKilled`.
 */
export function commitUntilKilled(url: string, rounds: HubRounds, roundsMax: number): Promise<void> {
  return untilKilled(url, async () => {
    for (let done = 0; done < roundsMax; done++) {
      const id = await pushRound(sender(url), rounds.next);
      rounds.acknowledged.push({ id, round: rounds.next++ });
    }
  });
}

function sender(url: string): SendHub {
  return async (method, path, body) => {
    const isBytes = body instanceof Uint8Array;
    const answer = await fetch(url + path, {
      method,
      ...(body !== undefined && { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
      ...(body !== undefined && !isBytes && { headers: { 'content-type': 'application/json' } }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (!answer.ok) throw new Refused(`${method} ${path} answered ${answer.status} ${bytes.toString()}`);
    return bytes;
  };
}
