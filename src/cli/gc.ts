import { parseArgs } from 'node:util';
import pino from 'pino';
import { FirnError } from '../checkpoint/firn-error.ts';
import { readConfig } from '../config.ts';
import { markOrphans, type Amount, type GarbageOptions } from '../upkeep/garbage/mark-orphans.ts';
import { deletePending } from '../upkeep/garbage/delete-pending.ts';
import { openStoredHub } from '../process/open-parts.ts';

const mib = 1024 * 1024;
const hourMs = 3_600_000;

/**
 * `firn gc`: runs the collection of garbage once, now. Prints a line for each object; returns the process's exit code,
 * 1 if an object could not be deleted.
 */
export async function gc(
  args: readonly string[],
  say: (line: string) => void,
  complain: (line: string) => void,
): Promise<number> {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        'dry-run': { type: 'boolean', default: false },
        grace: { type: 'string' },
        force: { type: 'boolean', default: false },
      },
    });
    const config = readConfig(process.env);
    const dryRun = values['dry-run'];
    const graceMs = graceOf(values.grace, config.gcGraceMs, values.force || dryRun);
    const hub = await openStoredHub(config, pino({ level: 'warn' }, pino.destination(2)));
    try {
      const options: GarbageOptions = {
        graceMs,
        dryRun,
        onObject: (done, { key, storedBytes, reason }) =>
          say(`${dryRun ? 'would be ' : ''}${done} ${key} ${storedBytes ?? '?'} ${reason}`),
      };
      const marked = await markOrphans(hub, options);
      const deleted = await deletePending(hub, options);
      say(
        `${amountOf(marked)} ${dryRun ? 'would be marked for deletion' : 'marked for deletion'}, ` +
          `${amountOf(deleted)} ${dryRun ? 'would be deleted' : 'deleted'}`,
      );
      for (const key of deleted.named)
        complain(`firn gc: ${key} was pending deletion and is named again; it is left alone`);
      if (deleted.failed > 0)
        complain(`firn gc: ${deleted.failed} objects could not be deleted: ${String(deleted.error)}`);
      return deleted.failed > 0 ? 1 : 0;
    } finally {
      await hub.close();
    }
  } catch (error) {
    complain(`firn gc: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
}

/**
 * The grace in ms. A grace shorter than the hub's needs `--force`, because running downloads and copies rely on the
 * hub's.
 */
function graceOf(text: string | undefined, ofHubMs: number, force: boolean): number {
  if (text === undefined) return ofHubMs;
  const graceMs = Number(text) * hourMs;
  if (text.trim() === '' || !(graceMs >= 0) || !Number.isFinite(graceMs))
    throw new FirnError('invalid-request', '--grace has to be a number of hours');
  if (graceMs < ofHubMs && !force)
    throw new FirnError(
      'invalid-request',
      '--grace is shorter than FIRN_GC_GRACE_H, which downloads and backups under way rely on; --force if ' +
        'there are none',
    );
  return graceMs;
}

function amountOf({ objects, bytes }: Amount): string {
  return `${objects} objects of ${(bytes / mib).toFixed(1)} MiB`;
}
