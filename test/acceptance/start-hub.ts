import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { firnProgram } from '../harness/firn-program.ts';
import { openTestStores, storePairs, type TestStores } from '../harness/test-stores.ts';

/**
 * Longest wait for the first answer, in ms; a new catalog takes about 3 s on an idle machine, and more than a minute on
 * one with ten times its work.
 */
const startDeadlineMs = 300_000;
/** Longest wait for a drained process to end, in ms. */
const stopDeadlineMs = 30_000;
/** Most characters of the process's output in memory. */
const outputKeptMax = 256 * 1024;

/**
 * A hub in a process of its own. Tests know its address, and the place of its stored bytes to look for remains.
 */
export interface Hub {
  /** Origin without a trailing slash. */
  readonly url: string;
  readonly dataDirectory: string;
  /** The place of its objects, if not in that directory. */
  readonly s3: TestStores['s3'];
  readonly process: ChildProcess;
  /** The newest part of the process's output. */
  output(): string;
  /** Ends the process and resolves when it has ended; deletes stores of its own. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export interface HubOptions {
  /** By default gateway and worker in one. */
  readonly command?: 'serve' | 'work';
  /** By default stores of its own, of the kind that FIRN_TEST_STORES names, or PGlite and a folder. */
  readonly dataDirectory?: string;
  /** FIRN_* keys of src/config-keys.ts. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Starts Firn on a free loopback port; resolves once it answers. If it ends before that, rejects with its output.
 */
export async function startHub({ command, dataDirectory, environment = {} }: HubOptions = {}): Promise<Hub> {
  const own =
    dataDirectory === undefined
      ? await openTestStores(storePairs.find((pair) => pair === process.env['FIRN_TEST_STORES']) ?? 'pglite-folder')
      : undefined;
  const directory = own?.dataDirectory ?? dataDirectory!;
  const child = spawn(process.execPath, [...firnProgram, ...(command === undefined ? [] : [command])], {
    env: {
      ...withoutFirnKeys(process.env),
      FIRN_HOST: '127.0.0.1',
      FIRN_PORT: '0',
      FIRN_ACCESS: 'open',
      FIRN_DATA_DIR: directory,
      FIRN_LOG_LEVEL: 'error',
      ...own?.environment,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-outputKeptMax);
    });
  }
  const url = await listeningAddress(child, () => output).catch(async (error: unknown) => {
    await own?.remove();
    throw error;
  });
  return {
    url,
    dataDirectory: directory,
    s3: own?.s3,
    process: child,
    output: () => output,
    async stop(signal = 'SIGTERM') {
      await end(child, signal);
      await own?.remove();
    },
  };
}

/** Variables of the developer's shell must not change the tests. */
function withoutFirnKeys(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([key]) => !key.startsWith('FIRN_')));
}

async function listeningAddress(child: ChildProcess, output: () => string): Promise<string> {
  const giveUp = new AbortController();
  const signal = AbortSignal.any([giveUp.signal, AbortSignal.timeout(startDeadlineMs)]);
  const ended = once(child, 'exit', { signal }).then(([code, by]) => {
    throw new Error(`the hub ended (${code ?? by}) before it was ready: ${output()}`);
  });
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), ended])) as [{ url: string }];
    return message.url;
  } catch (error) {
    await end(child, 'SIGKILL');
    throw error;
  } finally {
    ended.catch(() => undefined);
    giveUp.abort();
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  const kill = setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs);
  await exited;
  clearTimeout(kill);
}
