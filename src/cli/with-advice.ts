import { FirnProblem } from '../../clients/typescript/src/firn-problem.ts';
import { isNetworkError } from '../../clients/typescript/src/network-error.ts';
import { Unreachable } from '../../clients/typescript/src/unreachable.ts';

const inRun = '/runs/(?<run>[^/?]+)(?:/checkpoints/(?<step>\\d+))?';
/** What the API says of a threshold that most would call damage. */
const sendsAllowLarge = 'send "allowLarge": true beside "thresholds"';
/** What the API says of an eval set that a run measures with. */
const changesRun = /run "(?<user>[^"]+)" measures .*(?<how>\(PATCH of the run, with \{"evalSet": "<name>"\}\))/;
const signIn = 'No token was sent: if it is private, sign in with firn login URL.';
/** The paths of the API that errors are about: of a repository, and of a run, a step or an eval set in it. */
const resource = new RegExp(
  `^/v1/repositories/(?<repository>[^/?]+/[^/?]+)(?:${inRun}|/eval-sets/(?<evalSet>[^/?]+))?`,
);

/** An error for people: what is wrong, and what they can do about it with which command. */
export interface Explained {
  readonly message: string;
  /** A sentence, or a command that helps. */
  readonly advice?: string;
}

/** An error in one line: the sentence, and the advice if there is one. Pure. */
export function withAdvice(error: Error, evalSet?: string): string {
  const { message, advice } = explain(error, evalSet);
  if (advice === undefined) return message;
  return advice.startsWith('firn ') ? `${message.replace(/\.$/, '')}: ${advice}` : `${message} ${advice}`;
}

/**
 * What an error says, and what a person can do about it. `evalSet` is the one that was named as an option, for it is
 * not in the path. Pure.
 */
export function explain(error: Error, evalSet?: string): Explained {
  if (error instanceof Unreachable || isNetworkError(error))
    return {
      message: `${error.message}.`,
      advice: 'Is the hub running? npm start starts one here; --url or FIRN_URL names another.',
    };
  const { message } = error;
  if (!(error instanceof FirnProblem)) return { message };
  if (message.includes(sendsAllowLarge)) return { message: message.replace(sendsAllowLarge, 'add --allow-large') };
  // Only a token that was sent is refused there.
  if (error.status === 401 && error.path === '/v1/whoami')
    return { message, advice: 'Is it pasted whole, of this hub, not expired, and not revoked? See firn token list.' };
  if (error.status === 401) return { message, advice: 'Sign in with firn login URL, or set FIRN_TOKEN.' };
  return aboutResource(error, evalSet);
}

function aboutResource({ message, path, hadToken }: FirnProblem, asked: string | undefined): Explained {
  const { repository, run, step, evalSet = asked } = resource.exec(path ?? '')?.groups ?? {};
  if (repository === undefined) return { message };
  const lists = (command: string): string => `${command} lists those that there are.`;
  if (message === 'There is no such repository.')
    return {
      message: `There is no repository ${repository} that you may see.`,
      advice: lists('firn repos list') + (hadToken === false ? ` ${signIn}` : ''),
    };
  if (message === 'There is no such run.' && run !== undefined)
    return { message: `There is no run ${repository}/${run}.`, advice: lists(`firn runs list ${repository}`) };
  if (message === 'There is no such eval set.')
    return {
      message: `There is no eval set${evalSet === undefined ? '' : ` ${evalSet}`} in ${repository}.`,
      advice: lists(`firn eval-set list ${repository}`),
    };
  const { user, how } = changesRun.exec(message)?.groups ?? {};
  if (user !== undefined && how !== undefined)
    return { message: message.replace(how, `(firn runs edit ${repository}/${user} --eval-set NAME)`) };
  if (message.endsWith('cancel it first.') && run !== undefined) {
    // Who deletes a run learns from the sentence which of its steps it is.
    const busy = step ?? /^Step (\d+) /.exec(message)?.[1] ?? 'STEP';
    return { message, advice: `firn cancel ${repository}/${run}@${busy}` };
  }
  return { message };
}
