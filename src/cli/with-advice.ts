import { FirnProblem } from '../../clients/typescript/src/firn-problem.ts';
import { isNetworkError } from '../../clients/typescript/src/network-error.ts';
import { Unreachable } from '../../clients/typescript/src/unreachable.ts';

const inRun = '/runs/(?<run>[^/?]+)(?:/checkpoints/(?<step>\\d+))?';
/** What the API says of a threshold that most would call damage. */
const sendsAllowLarge = 'send "allowLarge": true beside "thresholds"';
/** The paths of the API that errors are about: of a repository, and of a run, a step or an eval set in it. */
const resource = new RegExp(
  `^/v1/repositories/(?<repository>[^/?]+/[^/?]+)(?:${inRun}|/eval-sets/(?<evalSet>[^/?]+))?`,
);

/**
 * The sentence of an error, and what a person can do about it with which command. `evalSet` is the one that was named
 * as an option, for it is not in the path. Pure.
 */
export function withAdvice(error: Error, evalSet?: string): string {
  if (error instanceof Unreachable || isNetworkError(error))
    return `${error.message}. Is the hub running? npm start starts one here; --url or FIRN_URL names another.`;
  if (!(error instanceof FirnProblem)) return error.message;
  if (error.message.includes(sendsAllowLarge)) return error.message.replace(sendsAllowLarge, 'add --allow-large');
  if (error.status === 401) return `${error.message} Sign in with firn login URL, or set FIRN_TOKEN.`;
  return aboutResource(error.message, error.path, evalSet);
}

function aboutResource(message: string, path: string | undefined, asked: string | undefined): string {
  const { repository, run, step, evalSet = asked } = resource.exec(path ?? '')?.groups ?? {};
  if (repository === undefined) return message;
  if (message === 'There is no such repository.')
    return `There is no repository ${repository} that you may see: firn repos list lists those that there are.`;
  if (message === 'There is no such run.' && run !== undefined)
    return `There is no run ${repository}/${run}: firn runs list ${repository} lists those that there are.`;
  if (message === 'There is no such eval set.')
    return (
      `There is no eval set${evalSet === undefined ? '' : ` ${evalSet}`} in ${repository}: ` +
      `firn eval-set list ${repository} lists those that there are.`
    );
  if (message.endsWith('cancel it first.') && run !== undefined) {
    // Who deletes a run learns from the sentence which of its steps it is.
    const busy = step ?? /^Step (\d+) /.exec(message)?.[1] ?? 'STEP';
    return `${message.slice(0, -1)}: firn cancel ${repository}/${run}@${busy}`;
  }
  return message;
}
