import type { HubActor, SenderOf } from '../harness/hub/hub-actor.ts';
import { Refused } from '../harness/hub/hub-caller.ts';
import { untilKilled } from './crash-clients.ts';

/**
 * Lets a hub client do its operations until the hub dies, or `operationsMax` of them. One whose answer was lost is done
 * again. Rejects as `pushUntilKilled`.
 */
export function actUntilKilled(url: string, actor: HubActor, operationsMax: number): Promise<void> {
  return untilKilled(url, async () => {
    for (let done = 0; done < operationsMax; done++) await actor.act(senderTo(url));
  });
}

export function senderTo(url: string): SenderOf {
  return (isRepeat) =>
    async (method, path, body, done = []) => {
      const isBytes = body instanceof Uint8Array;
      const answer = await fetch(url + path, {
        method,
        ...(body !== undefined && { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
        ...(body !== undefined && !isBytes && { headers: { 'content-type': 'application/json' } }),
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (!answer.ok && !(isRepeat && done.includes(answer.status)))
        throw new Refused(`${method} ${path} answered ${answer.status} ${bytes.toString()}`);
      return bytes;
    };
}
