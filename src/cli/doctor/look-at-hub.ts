import { openSession, type HubOptions } from '../hub/session.ts';
import type { Finding } from './finding.ts';

/** Longest wait for a hub, in ms. */
const answerMs = 10_000;

/** Whether the hub answers, what it says of itself, and what the token may do there. */
export async function lookAtHub(options: HubOptions): Promise<Finding[]> {
  let url = options.url ?? 'hub';
  try {
    const { hub } = openSession(options);
    url = hub.url;
    hub.close();
    const ask = (path: string): Promise<Response> =>
      fetch(url + path, { headers: hub.headers, signal: AbortSignal.timeout(answerMs) });
    const [ready, who] = await Promise.all([ask('/readyz'), ask('/v1/whoami')]);
    return [readinessOf(url, ready.status, await ready.json()), tokenOf(who.status, await who.json())];
  } catch (error) {
    const found = `${url}: ${reasonOf(error)}`;
    return [{ what: 'hub', state: 'absent', found, advice: 'start one (firn), or name one: firn login URL' }];
  }
}

function readinessOf(url: string, status: number, answer: unknown): Finding {
  const { status: word, workers } = answer as { status?: string; workers?: { living?: number } };
  const living = workers?.living === undefined ? '' : `, ${workers.living} workers`;
  const found = `${url} is ${word ?? `no hub: it answers ${status}`}${living}`;
  if (word === 'ready') return { what: 'hub', state: 'ok', found };
  return { what: 'hub', state: 'bad', found, advice: `${url}/readyz says what does not work` };
}

function tokenOf(status: number, answer: unknown): Finding {
  const { name, grants, detail } = answer as { name?: string; grants?: string[]; detail?: string };
  if (status === 200)
    return { what: 'token', state: 'ok', found: `${name}: ${grants?.join(' ') || 'reads what is public'}` };
  return { what: 'token', state: 'bad', found: detail ?? `${status}`, advice: 'firn login, with a token of this hub' };
}

/** The innermost cause says what failed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}
