import pino from 'pino';
import { FirnError } from '../checkpoint/firn-error.ts';
import { readConfig } from '../config.ts';
import { describeDamage } from '../upkeep/scrub/describe-damage.ts';
import { ReadRate } from '../upkeep/scrub/read-rate.ts';
import { recheckDamaged } from '../upkeep/scrub/recheck-damaged.ts';
import { scrubObjects } from '../upkeep/scrub/scrub-objects.ts';
import { openStoredHub } from '../process/open-parts.ts';
import type { Terminal } from './terminal/terminal.ts';

const mib = 1024 * 1024;

export interface ScrubOptions {
  readonly json?: boolean;
  /** `namespace/name`. */
  readonly repository?: string;
  readonly mibPerS?: string;
}

/**
 * `firn scrub`: reads every object once, now. Prints a line for each damaged object, then one with the sums. Returns
 * the exit code, 1 if there is one.
 */
export async function scrub({ repository, mibPerS }: ScrubOptions, { asJson, say, remark }: Terminal): Promise<number> {
  const rate = rateOf(mibPerS);
  const hub = await openStoredHub(readConfig(process.env), pino({ level: 'warn' }, pino.destination(2)));
  try {
    const repositoryId = repository === undefined ? undefined : await repositoryIdOf(hub.catalog, repository);
    const printed = new Set<string>();
    const ctx = {
      ...hub,
      ...(rate && { rate }),
      onDamage: (found: Parameters<typeof describeDamage>[0]) => {
        if (!printed.has(found.key)) say(asJson ? JSON.stringify(found) : describeDamage(found));
        printed.add(found.key);
      },
      onRepaired: (key: string) => say(asJson ? JSON.stringify({ key, wholeAgain: true }) : `whole again ${key}`),
      onUnread: (key: string, error: unknown) => remark(`firn scrub: ${key} could not be read: ${String(error)}`),
    };
    // Objects that nothing names any more leave the quarantine.
    if (repositoryId === undefined) await recheckDamaged(ctx);
    const sums = await scrubObjects(ctx, repositoryId === undefined ? {} : { repositoryId });
    const { objects, bytes, damaged, unread } = sums;
    say(
      asJson
        ? JSON.stringify(sums)
        : `${objects} objects, ${(bytes / mib).toFixed(1)} MiB, ${damaged} ` +
            `damaged${unread > 0 ? `, ${unread} unread` : ''}`,
    );
    return damaged + unread > 0 ? 1 : 0;
  } finally {
    await hub.close();
  }
}

function rateOf(text: string | undefined): ReadRate | undefined {
  if (text === undefined) return undefined;
  const mibPerSecond = Number(text);
  if (!(mibPerSecond > 0)) throw new FirnError('invalid-request', '--mib-per-s has to be a number above 0');
  return new ReadRate(mibPerSecond * mib);
}

async function repositoryIdOf(
  catalog: Awaited<ReturnType<typeof openStoredHub>>['catalog'],
  given: string,
): Promise<string> {
  const [namespace = '', name = ''] = given.split('/');
  const found = await catalog.repositories.find(namespace, name);
  if (found === undefined)
    throw new FirnError('not-found', `There is no repository ${given}; give it as namespace/name.`);
  return found.id;
}
