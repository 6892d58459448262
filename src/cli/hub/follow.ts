import {
  findStep,
  formatTarget,
  waitForCheckpoint,
  type CheckpointEvent,
  type CheckpointTarget,
} from '../../../clients/typescript/src/index.ts';
import { exitCodes } from '../exit-code.ts';
import { bytesInWords } from '../../checkpoint/words/bytes-in-words.ts';
import { ended, estimateInWords, lastEstimate } from './estimate.ts';
import { stateInWords } from '../../checkpoint/words/state-in-words.ts';
import { metricsInWords } from './words/metrics-in-words.ts';
import { outcomeInWords, wayOut } from './words/outcome-in-words.ts';
import { openSession, runTarget, type HubOptions, type Session } from './session.ts';

/** `firn watch TARGET`: follows a checkpoint, and then an estimate of it that is under way. Returns the exit code. */
export async function watch(text: string, options: HubOptions): Promise<number> {
  const session = openSession(options);
  const target = await findStep(session.hub, runTarget(text));
  const code = await follow(session, target);
  const estimate = await lastEstimate(session.hub, target);
  if (estimate?.state === 'queued' || estimate?.state === 'working') {
    const done = await ended(session.hub, target);
    session.terminal.say(session.terminal.asJson ? JSON.stringify({ estimate: done }) : estimateInWords(done));
  }
  session.hub.close();
  return code;
}

/** Waits for a checkpoint, printing states, phases and trials as they come. Returns the exit code. */
export async function follow({ hub, terminal }: Session, target: CheckpointTarget): Promise<number> {
  const name = formatTarget(target);
  const done = await waitForCheckpoint(hub, target, {
    onEvent: (event) => {
      if (terminal.asJson) return terminal.say(JSON.stringify(event));
      if (event.type === 'phase') return terminal.progress(`${name}: ${phaseInWords(event)}`);
      terminal.say(`${name}: ${eventInWords(event, target)}`);
    },
  });
  if (!terminal.asJson) terminal.say(`${name}: ${outcomeInWords(done)}`);
  return done.state === 'ready' ? exitCodes.done : exitCodes.bad;
}

function phaseInWords({ phase, doneCount, totalCount }: Extract<CheckpointEvent, { type: 'phase' }>): string {
  return doneCount === undefined
    ? phase
    : `${phase} ${doneCount}${totalCount === undefined ? '' : ` of ${totalCount}`}`;
}

function eventInWords(event: Exclude<CheckpointEvent, { type: 'phase' }>, target: CheckpointTarget): string {
  if (event.type === 'state') {
    const { state, waitsFor } = event.checkpoint;
    const way = waitsFor && wayOut(waitsFor, target);
    return stateInWords(state, waitsFor) + (way === undefined ? '' : `; ${way}`);
  }
  const { number, passed, degradation, estimatedBytes } = event.trial;
  return (
    `trial ${number} ${passed ? 'passed' : 'did not pass'}: ${metricsInWords(degradation)}, about ` +
    `${bytesInWords(estimatedBytes)}`
  );
}
