import { randomUUID } from 'node:crypto';
import { findStep, formatTarget } from '../../../clients/typescript/src/index.ts';
import { exitCodes } from '../exit-code.ts';
import { follow } from './follow.ts';
import { measuredWith, type Measuring } from './measured-with.ts';
import { outcomeInWords } from './words/outcome-in-words.ts';
import { openSession, runTarget, type HubOptions } from './session.ts';

export interface RetryCommand extends HubOptions, Measuring {
  readonly wait?: boolean;
}

/** `firn retry TARGET`: compresses a failed checkpoint again, from what was pushed. Returns the exit code. */
export async function retry(text: string, options: RetryCommand): Promise<number> {
  const { wait = false } = options;
  const session = openSession(options);
  const { hub, terminal } = session;
  try {
    const target = await findStep(hub, runTarget(text));
    const { data } = await hub.api.POST('/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/retry', {
      params: { path: target, header: { 'idempotency-key': randomUUID() } },
      body: measuredWith(options),
    });
    if (wait) return await follow(session, target);
    terminal.say(terminal.asJson ? JSON.stringify(data) : `${formatTarget(target)}: ${outcomeInWords(data!)}`);
    return exitCodes.done;
  } finally {
    hub.close();
  }
}
