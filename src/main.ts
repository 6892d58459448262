import { FirnError } from './checkpoint/firn-error.ts';
import { runProgram } from './cli/program/run-program.ts';
import { endWithReader } from './cli/terminal/end-with-reader.ts';
import type { Role } from './wire.ts';

/** With `roles` undefined: migrates the database to this version and ends. */
async function runServer(roles: readonly Role[] | undefined): Promise<void> {
  // Loaded here, because other commands do not need it and start much faster without.
  const [{ default: pino }, { readConfig }, { migrateDatabase }, { wire }, { firstTokenNotice }] = await Promise.all([
    import('pino'),
    import('./config.ts'),
    import('./process/open-parts.ts'),
    import('./wire.ts'),
    import('./process/first-token-notice.ts'),
  ]);
  const config = readConfig(process.env);
  // Synchronous: buffered lines would be out of order when a process exits, and lost when one is killed.
  const log = pino({ level: config.logLevel, base: { service: 'firn' } }, pino.destination({ dest: 1, sync: true }));
  if (roles === undefined) return migrateDatabase(config, log);
  const firn = await wire(config, log, roles);
  log.info({ url: firn.url, roles, dataDirectory: config.dataDirectory }, `listening on ${firn.url}`);
  // Printed for the person who started the process, not logged, because others read the log.
  if (firn.firstToken !== undefined) complain(firstTokenNotice(firn.firstToken));
  // A parent process learns the address without reading logs.
  process.send?.({ url: firn.url });
  let stopping: Promise<void> | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    log.info({ signal }, 'draining');
    stopping ??= firn.close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'the process did not drain cleanly');
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

function complain(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function main(args: readonly string[]): Promise<void> {
  endWithReader(process);
  process.exitCode = await runProgram(args, { startServer: runServer, complain });
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const detail = error instanceof FirnError && error.detail !== undefined ? ` (${error.detail})` : '';
  complain(`firn: ${error instanceof Error ? error.message : String(error)}${detail}`);
  process.exit(1);
});
