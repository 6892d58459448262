import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { firnProgram } from '../harness/firn-program.ts';
import { openTestStores, storePairs, type TestStores } from '../harness/test-stores.ts';

/**
 * Longest wait for the first answer, in ms; a fresh catalog takes about 3 s on an idle machine, and more than a minute
 * on one with ten times its work.
 */
const startDeadlineMs = 300_000;
/** Longest wait for a drained process to end, in ms. */
const stopDeadlineMs = 30_000;
/** Characters of the process's output that are kept. */
const outputKeptMax = 256 * 1024;

/**
 * A hub in a process of its own. Tests know its address, and where it keeps its bytes to look for what was left behind.
 */
export interface Hub {
  /** Origin without a trailing slash. */
  readonly url: string;
  readonly dataDirectory: string;
  /** Where its objects are, if not in that directory. */
  readonly s3: TestStores['s3'];
  readonly process: ChildProcess;
  /** What the process has printed so far, its newest part. */
  output(): string;
  /** Ends the process and resolves when it is gone; stores of its own go with it. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export interface HubOptions {
  /** Gateway and worker in one when absent. */
  readonly command?: 'serve' | 'work';
  /** Stores of its own by default, those that FIRN_TEST_STORES names: PGlite and a folder unless it does. */
  readonly dataDirectory?: string;
  /** FIRN_* keys of src/config.ts. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Starts Firn on a free loopback port; resolves once it answers. Rejects with what it printed when it ends before that.
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

/** A key of the developer's own shell must not change what is tested. */
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
