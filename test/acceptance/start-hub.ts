import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firnProgram } from '../harness/firn-program.ts';

/** Longest wait for the first answer, in ms; a fresh catalog takes about 3 s on an idle machine, and more than a minute on one with ten times its work. */
const startDeadlineMs = 300_000;
/** Longest wait for a drained process to end, in ms. */
const stopDeadlineMs = 30_000;
/** Characters of the process's output that are kept. */
const outputKeptMax = 256 * 1024;

/** A hub in a process of its own. Tests know its address, and where it keeps its bytes to look for what was left behind. */
export interface Hub {
  /** Origin without a trailing slash. */
  readonly url: string;
  readonly dataDirectory: string;
  readonly process: ChildProcess;
  /** What the process has printed so far, its newest part. */
  output(): string;
  /** Ends the process and resolves when it is gone; a directory that startHub made goes with it. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export interface HubOptions {
  /** Gateway and worker in one when absent. */
  readonly command?: 'serve' | 'work';
  /** A temporary one by default. */
  readonly dataDirectory?: string;
  /** FIRN_* keys of src/config.ts. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts Firn on a free loopback port; resolves once it answers. Rejects with what it printed when it ends before that. */
export async function startHub({ command, dataDirectory, environment = {} }: HubOptions = {}): Promise<Hub> {
  const directory = dataDirectory ?? (await mkdtemp(join(tmpdir(), 'firn-acceptance-')));
  const child = spawn(process.execPath, [...firnProgram, ...(command === undefined ? [] : [command])], {
    env: {
      ...withoutFirnKeys(process.env),
      FIRN_HOST: '127.0.0.1',
      FIRN_PORT: '0',
      FIRN_ACCESS: 'open',
      FIRN_DATA_DIR: directory,
      FIRN_LOG_LEVEL: 'error',
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
  const removeOwn = async (): Promise<void> => {
    if (dataDirectory === undefined) await rm(directory, { recursive: true, force: true });
  };
  const url = await listeningAddress(child, () => output).catch(async (error: unknown) => {
    await removeOwn();
    throw error;
  });
  return {
    url,
    dataDirectory: directory,
    process: child,
    output: () => output,
    async stop(signal = 'SIGTERM') {
      await end(child, signal);
      await removeOwn();
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
