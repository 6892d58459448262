import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Longest time of one client, on a busy machine, in ms. */
export const clientDeadlineMs = 600_000;
/** Characters of a client's output that a failure shows. */
const shownOutputMax = 6_000;

export interface ClientProgram {
  readonly program: string;
  /** Before the arguments of a run. */
  readonly begin?: readonly string[];
  readonly endpoint: string;
  readonly token: string;
  /** Whether Python may use hf_xet, which is its default. */
  readonly xet: boolean;
}

export interface ClientRun {
  /** Ends the client as a power cut would; `done` then does not reject. */
  kill(): void;
  /** What it printed; rejects with it when the client fails, unless it was killed on purpose. */
  readonly done: Promise<string>;
}

/** Starts a client with a home of its own. Nothing else of the environment but PATH reaches it. */
export async function startClient(client: ClientProgram, args: readonly string[]): Promise<ClientRun> {
  const home = await mkdtemp(join(tmpdir(), 'firn-hub-client-'));
  await mkdir(join(home, 'hf'));
  const child = spawn(client.program, [...(client.begin ?? []), ...args], {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      TMPDIR: home,
      HF_HOME: join(home, 'hf'),
      HF_ENDPOINT: client.endpoint,
      HF_TOKEN: client.token,
      ...(!client.xet && { HF_HUB_DISABLE_XET: '1' }),
      OMP_NUM_THREADS: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: clientDeadlineMs,
    killSignal: 'SIGKILL',
  });
  let isKilled = false;
  const done = thenRemove(
    home,
    outputOf(child, args, () => isKilled),
  );
  return {
    done,
    kill() {
      isKilled = true;
      child.kill('SIGKILL');
    },
  };
}

/** Runs a client to its end and returns what it printed. */
export async function runClient(client: ClientProgram, args: readonly string[]): Promise<string> {
  return (await startClient(client, args)).done;
}

async function thenRemove<T>(folder: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function outputOf(child: ChildProcess, args: readonly string[], isKilled: () => boolean): Promise<string> {
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-1024 * 1024)));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0 && !isKilled())
    throw new Error(`${args.join(' ')}: ended with ${code}\n${output.slice(-shownOutputMax)}`);
  return output;
}
