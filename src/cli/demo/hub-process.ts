import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { programPath } from '../../program-files.ts';
import { nodeFlags } from '../node-flags.ts';

/** Longest wait for the hub's first answer, in milliseconds; a fresh database takes a few seconds. */
const startDeadlineMs = 60_000;
/** Longest wait for a draining hub, in milliseconds: 1.5 times its own limit. */
const stopDeadlineMs = 30_000;

/** A hub of its own in a child process, on a free loopback port, with everything under one directory. Stop it. */
export class HubProcess {
  readonly url: string;
  private readonly child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.child = child;
  }

  static async start(dataDirectory: string, environment: Readonly<Record<string, string>> = {}): Promise<HubProcess> {
    const child = fork(programPath('main'), [], {
      env: {
        // Configuration in the user's shell is meant for a server of theirs.
        ...Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('FIRN_'))),
        FIRN_HOST: '127.0.0.1',
        FIRN_PORT: '0',
        FIRN_ACCESS: 'open',
        FIRN_DATA_DIR: dataDirectory,
        FIRN_LOG_LEVEL: 'error',
        ...environment,
      },
      execArgv: [...process.execArgv, ...nodeFlags],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    try {
      return new HubProcess(await listeningAddress(child), child);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Sends SIGTERM and waits for the end of the process. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill(signal);
    const late = setTimeout(() => this.child.kill('SIGKILL'), stopDeadlineMs);
    await exited;
    clearTimeout(late);
  }
}

async function listeningAddress(child: ChildProcess): Promise<string> {
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, AbortSignal.timeout(startDeadlineMs)]);
  const ended = once(child, 'exit', { signal }).then(([code]): never => {
    throw new Error(`the hub ended with code ${code} before it was ready`);
  });
  ended.catch(() => undefined);
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), ended])) as [{ url: string }];
    return message.url;
  } catch (error) {
    throw (error as Error).name === 'AbortError'
      ? new Error(`the hub was not ready within ${startDeadlineMs / 1000} s`)
      : error;
  } finally {
    done.abort();
  }
}
