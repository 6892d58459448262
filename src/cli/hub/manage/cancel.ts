import { randomUUID } from 'node:crypto';
import { formatTarget } from '../../../../clients/typescript/src/index.ts';
import { stateInWords } from '../../../checkpoint/words/state-in-words.ts';
import { openSession, runTarget, type HubOptions } from '../session.ts';

/** `firn cancel RUN@STEP`: gives up a reservation, or a checkpoint that waits or is being compressed. */
export async function cancel(text: string, options: HubOptions): Promise<void> {
  const target = runTarget(text);
  const { step } = target;
  if (typeof step !== 'number')
    throw new Error(`${text}: say which step, such as ${formatTarget({ ...target, step: 900 })}.`);
  const { hub, terminal } = openSession(options);
  const { data } = await hub.api.POST('/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/cancel', {
    params: { path: { ...target, step }, header: { 'idempotency-key': randomUUID() } },
  });
  hub.close();
  if (terminal.asJson) return terminal.say(JSON.stringify(data));
  const { state, waitsFor } = data!;
  const said = state === 'cancelled' ? state : `${stateInWords(state, waitsFor)}; it is being stopped`;
  terminal.say(`${formatTarget(target)}: ${said}`);
}
