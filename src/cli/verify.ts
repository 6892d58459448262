import { parseArgs } from 'node:util';
import pino from 'pino';
import { readConfig } from '../config.ts';
import { verifyHub } from '../upkeep/verify-hub.ts';
import { openStoredHub } from '../process/open-parts.ts';

const mib = 1024 * 1024;

/**
 * `firn verify`: checks that database and bucket belong together and are whole. Prints a line for each problem; returns
 * the process's exit code, 1 if there is one.
 */
export async function verify(
  args: readonly string[],
  say: (line: string) => void,
  complain: (line: string) => void,
): Promise<number> {
  try {
    parseArgs({ args: [...args], options: {} });
    const hub = await openStoredHub(readConfig(process.env), pino({ level: 'warn' }, pino.destination(2)));
    try {
      const { objects, bytes, checkpoints, files, unnamed, problems } = await verifyHub(hub, say);
      say(
        `${objects} objects, ${(bytes / mib).toFixed(1)} MiB; ${files} files of ${checkpoints} checkpoints ` +
          `rebuilt and compared; ${problems} problems`,
      );
      if (unnamed.objects > 0)
        say(
          `${unnamed.objects} objects of ${(unnamed.bytes / mib).toFixed(1)} MiB are named by nothing: no ` +
            'harm, they are collected in time',
        );
      return problems > 0 ? 1 : 0;
    } finally {
      await hub.close();
    }
  } catch (error) {
    complain(`firn verify: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
}
