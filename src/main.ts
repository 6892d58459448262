import { FirnError } from './checkpoint/firn-error.ts';
import { commandHelp } from './cli/command-help.ts';
import { programVersion } from './http/program-version.ts';
import { firstTokenNotice } from './process/first-token-notice.ts';
import type { Role } from './wire.ts';

const usage = `Usage: firn [COMMAND]

A server
  firn                 gateway and worker in one process
  firn serve           a gateway: takes requests
  firn work            a worker: searches and encodes
  firn migrate         brings the database to this version and ends

Its data
  firn token create|list|revoke ...
  firn scrub [--repository NS/NAME] [--mib-per-s N]
  firn verify
  firn gc [--dry-run] [--grace HOURS] [--force]

A hub, from anywhere
  firn login [URL]             remembers a token
  firn push TARGET PATH        pushes a file, a folder, or a Trainer's output folder
  firn pull TARGET [FOLDER]    pulls a checkpoint
  firn ls [TARGET]             firn log TARGET, firn show TARGET, firn watch TARGET

Without a server
  firn unpack PACKAGE... --out FOLDER
  firn eval-set check GRAPH BATCHES CHECKPOINT

firn --help says this, firn COMMAND --help more of one, firn --version the version. FIRN_* variables
configure servers and commands on their data: docs/operations.md lists them.`;
/** Roles by command; without a command the process is gateway and worker. */
const rolesOf: Readonly<Record<string, readonly Role[]>> = {
  '': ['gateway', 'worker'],
  serve: ['gateway'],
  work: ['worker'],
};

type Command = (
  args: readonly string[],
  say: (line: string) => void,
  complain: (line: string) => void,
) => Promise<number>;
/** Commands that do one thing and end; each is loaded only when it is used. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  'eval-set': async () => (await import('./cli/eval-set.ts')).evalSet,
  unpack: async () => (await import('./cli/unpack.ts')).unpack,
  token: async () => (await import('./cli/token.ts')).token,
  scrub: async () => (await import('./cli/scrub.ts')).scrub,
  verify: async () => (await import('./cli/verify.ts')).verify,
  gc: async () => (await import('./cli/gc.ts')).gc,
};

/** Commands for a hub, which need no configuration of a server. */
const hubCommands: ReadonlySet<string> = new Set(['login', 'push', 'pull', 'ls', 'log', 'show', 'watch']);

/** Commands that only print text. */
const words: Readonly<Record<string, () => string>> = {
  '--help': () => usage,
  '-h': () => usage,
  '--version': () => programVersion,
};

/** Runs the command line; a process with roles runs until SIGTERM or SIGINT. */
async function main([command = '', ...rest]: readonly string[]): Promise<void> {
  if (hubCommands.has(command)) {
    const { runHubCommand } = await import('./cli/hub/hub-program.ts');
    process.exitCode = await runHubCommand([command, ...rest], complain);
    return;
  }
  const help = commandHelp(command, rest);
  if (help !== undefined) return say(help);
  const run = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (run !== undefined) {
    process.exitCode = await (await run())(rest, say, complain);
    return;
  }
  const text = Object.hasOwn(words, command) ? words[command] : undefined;
  if (text !== undefined) return say(text());
  const roles = Object.hasOwn(rolesOf, command) ? rolesOf[command] : undefined;
  if (roles === undefined && command !== 'migrate')
    throw new FirnError('invalid-request', `There is no command "${command}"; firn --help lists them.`);
  if (rest.length > 0)
    throw new FirnError('invalid-request', `firn ${command} takes no arguments; firn --help lists what takes some.`);
  return runServer(roles);
}

/** With `roles` undefined: migrates the database to this version and ends. */
async function runServer(roles: readonly Role[] | undefined): Promise<void> {
  // Loaded here, because other commands do not need it and start much faster without.
  const [{ default: pino }, { readConfig }, { migrateDatabase }, { wire }] = await Promise.all([
    import('pino'),
    import('./config.ts'),
    import('./process/open-parts.ts'),
    import('./wire.ts'),
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

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function complain(line: string): void {
  process.stderr.write(`${line}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const detail = error instanceof FirnError && error.detail !== undefined ? ` (${error.detail})` : '';
  complain(`firn: ${error instanceof Error ? error.message : String(error)}${detail}`);
  process.exit(1);
});
