import pino from 'pino';
import { FirnError } from './checkpoint/firn-error.ts';
import { readConfig } from './config.ts';
import { wire } from './wire.ts';

/** Starts the process: gateway and worker in one, until SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = pino({ level: config.logLevel, base: { service: 'firn' } });
  const firn = await wire(config, log);
  log.info({ url: firn.url, dataDirectory: config.dataDirectory }, `listening on ${firn.url}`);
  // To whoever started it, not to the log, which others read.
  if (firn.firstToken !== undefined)
    process.stderr.write(`firn: this is the first start. A token that allows everything, told only now:\n${firn.firstToken}\n`);
  // A parent that started this process learns the address without reading logs.
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

main().catch((error: unknown) => {
  const detail = error instanceof FirnError && error.detail !== undefined ? ` (${error.detail})` : '';
  process.stderr.write(`firn: ${error instanceof Error ? error.message : String(error)}${detail}\n`);
  process.exit(1);
});
