import pino from 'pino';
import { readConfig } from '../config.ts';
import { verifyHub } from '../upkeep/verify-hub.ts';
import { openStoredHub } from '../process/open-parts.ts';
import type { Terminal } from './terminal/terminal.ts';

const mib = 1024 * 1024;

/**
 * `firn verify`: checks that database and bucket belong together and are whole. Prints a line for each problem, then
 * one with the sums. Returns the exit code, 1 if there is a problem.
 */
export async function verify({ asJson, say }: Terminal): Promise<number> {
  const hub = await openStoredHub(readConfig(process.env), pino({ level: 'warn' }, pino.destination(2)));
  try {
    const sums = await verifyHub(hub, (problem) => say(asJson ? JSON.stringify({ problem }) : problem));
    if (asJson) say(JSON.stringify(sums));
    else linesOf(sums).forEach((line) => say(line));
    return sums.problems > 0 ? 1 : 0;
  } finally {
    await hub.close();
  }
}

function linesOf({ objects, bytes, checkpoints, files, unnamed, problems }: Awaited<ReturnType<typeof verifyHub>>) {
  return [
    `${objects} objects, ${(bytes / mib).toFixed(1)} MiB; ${files} files of ${checkpoints} checkpoints ` +
      `rebuilt and compared; ${problems} problems`,
    ...(unnamed.objects > 0
      ? [
          `${unnamed.objects} objects of ${(unnamed.bytes / mib).toFixed(1)} MiB are named by nothing: no ` +
            'harm, they are collected in time',
        ]
      : []),
  ];
}
