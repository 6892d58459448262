import pino from 'pino';
import { FirnError } from '../checkpoint/firn-error.ts';
import { readConfig } from '../config.ts';
import { markOrphans, type Amount, type GarbageOptions } from '../upkeep/garbage/mark-orphans.ts';
import { deletePending } from '../upkeep/garbage/delete-pending.ts';
import { openStoredHub } from '../process/open-parts.ts';
import type { Terminal } from './terminal/terminal.ts';

const mib = 1024 * 1024;
const hourMs = 3_600_000;

export interface GcOptions {
  readonly json?: boolean;
  readonly dryRun?: boolean;
  /** Hours. */
  readonly grace?: string;
  readonly force?: boolean;
}

/**
 * `firn gc`: runs the collection of garbage once, now. Prints a line for each object, then one with the sums. Returns
 * the exit code, 1 if an object could not be deleted.
 */
export async function gc(
  { dryRun = false, grace, force = false }: GcOptions,
  { asJson, say, remark }: Terminal,
): Promise<number> {
  const config = readConfig(process.env);
  const graceMs = graceOf(grace, config.gcGraceMs, force || dryRun);
  const hub = await openStoredHub(config, pino({ level: 'warn' }, pino.destination(2)));
  try {
    const options: GarbageOptions = {
      graceMs,
      dryRun,
      onObject: (done, { key, storedBytes, reason }) =>
        say(
          asJson
            ? JSON.stringify({ done, dryRun, key, storedBytes, reason })
            : `${dryRun ? 'would be ' : ''}${done} ${key} ${storedBytes ?? '?'} ${reason}`,
        ),
    };
    const marked = await markOrphans(hub, options);
    const deleted = await deletePending(hub, options);
    say(
      asJson
        ? JSON.stringify({ dryRun, marked, deleted: { ...deleted, error: undefined } })
        : `${amountOf(marked)} ${dryRun ? 'would be marked for deletion' : 'marked for deletion'}, ` +
            `${amountOf(deleted)} ${dryRun ? 'would be deleted' : 'deleted'}`,
    );
    for (const key of deleted.named)
      remark(`firn gc: ${key} was pending deletion and is named again; it is left alone`);
    if (deleted.failed > 0) remark(`firn gc: ${deleted.failed} objects could not be deleted: ${String(deleted.error)}`);
    return deleted.failed > 0 ? 1 : 0;
  } finally {
    await hub.close();
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
