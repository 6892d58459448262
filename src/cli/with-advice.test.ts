import { expect, test } from 'vitest';
import { FirnProblem } from '../../clients/typescript/src/firn-problem.ts';
import { Unreachable } from '../../clients/typescript/src/unreachable.ts';
import { explain, withAdvice } from './with-advice.ts';

const repository = '/v1/repositories/me/gpt';
const refused = (detail: string, path?: string): FirnProblem =>
  new FirnProblem(409, { detail, ...(path !== undefined && { path }) });

test.each<[said: string, error: Error, evalSet?: string]>([
  [
    'http://h cannot be reached: refused. Is the hub running? npm start starts one here; --url or FIRN_URL names another.',
    new Unreachable('http://h', new Error('refused')),
  ],
  [
    'This needs a token. Sign in with firn login URL, or set FIRN_TOKEN.',
    new FirnProblem(401, { code: 'unauthenticated', detail: 'This needs a token.' }),
  ],
  [
    'There is no repository me/gpt that you may see: firn repos list lists those that there are.',
    refused('There is no such repository.', `${repository}/runs`),
  ],
  [
    'There is no run me/gpt/train: firn runs list me/gpt lists those that there are.',
    refused('There is no such run.', `${repository}/runs/train/checkpoints?limit=1000`),
  ],
  [
    'There is no eval set held-out in me/gpt: firn eval-set list me/gpt lists those that there are.',
    refused('There is no such eval set.', `${repository}/eval-sets/held-out`),
  ],
  [
    'There is no eval set asked in me/gpt: firn eval-set list me/gpt lists those that there are.',
    refused('There is no such eval set.', `${repository}/runs`),
    'asked',
  ],
  [
    'The checkpoint is queued or being compressed; cancel it first: firn cancel me/gpt/train@2',
    refused('The checkpoint is queued or being compressed; cancel it first.', `${repository}/runs/train/checkpoints/2`),
  ],
  [
    'Step 7 of the run is queued; cancel it first: firn cancel me/gpt/train@7',
    refused('Step 7 of the run is queued; cancel it first.', `${repository}/runs/train`),
  ],
  [
    'Too much. If that is meant, add --allow-large; half a percent is 0.005.',
    refused('Too much. If that is meant, send "allowLarge": true beside "thresholds"; half a percent is 0.005.'),
  ],
  [
    'There is no repository me/gpt that you may see: firn repos list lists those that there are. No token was sent: ' +
      'if it is private, sign in with firn login URL.',
    new FirnProblem(404, { detail: 'There is no such repository.', path: `${repository}/runs`, hadToken: false }),
  ],
  [
    'This token is not valid. Is it pasted whole, of this hub, not expired, and not revoked? See firn token list.',
    new FirnProblem(401, { detail: 'This token is not valid.', path: '/v1/whoami', hadToken: true }),
  ],
  [
    'It is in use: run "train" measures its checkpoints with it; give that another one ' +
      '(firn runs edit me/gpt/train --eval-set NAME), or delete it.',
    refused(
      'It is in use: run "train" measures its checkpoints with it; give that another one (PATCH of the run, with ' +
        '{"evalSet": "<name>"}), or delete it.',
      `${repository}/eval-sets/held-out`,
    ),
  ],
  ['There is no such run.', refused('There is no such run.')],
  ['Anything else.', refused('Anything else.', repository)],
  ['An error of this machine.', new Error('An error of this machine.')],
])('an error says what to do: %s', (said, error, evalSet) => {
  expect(withAdvice(error, evalSet)).toBe(said);
});

test.each<[message: string, advice: string | undefined, error: Error]>([
  [
    'There is no run me/gpt/train.',
    'firn runs list me/gpt lists those that there are.',
    refused('There is no such run.', `${repository}/runs/train`),
  ],
  [
    'http://h cannot be reached: refused.',
    'Is the hub running? npm start starts one here; --url or FIRN_URL names another.',
    new Unreachable('http://h', new Error('refused')),
  ],
  [
    'Step 7 of the run is queued; cancel it first.',
    'firn cancel me/gpt/train@7',
    refused('Step 7 of the run is queued; cancel it first.', `${repository}/runs/train`),
  ],
  ['An error of this machine.', undefined, new Error('An error of this machine.')],
])('programs get the sentence and the advice apart: %s', (message, advice, error) => {
  expect(explain(error)).toEqual({ message, ...(advice !== undefined && { advice }) });
});
