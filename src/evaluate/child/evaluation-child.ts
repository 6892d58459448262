import { fork, type ChildProcess } from 'node:child_process';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { ChildCommand } from './child-command.ts';
import type { ChildReply, ChildRequest } from './child-messages.ts';
import type { DeviceReport } from '../device/device-report.ts';
import type { PooledChild } from './child-pool.ts';
import { processMemoryBytes } from './process-memory.ts';
import { isMemoryFailure, outOfMemory } from '../runtime-failure.ts';

/** How often a working child's memory is read. */
const memoryPollMs = 50;
/** Longest start of a child, from fork to its first message; on a loaded machine it takes a few seconds. */
const startDeadlineMs = 60_000;
/** Length of the end of a child's stderr that goes to the log. */
const stderrTailCharacters = 4096;
/** A killed process is gone within milliseconds; one stuck in the kernel is not waited for. */
const exitWaitMs = 5000;

export interface ChildLimits {
  readonly deadlineMs: number;
  readonly memoryMaxBytes: number;
}

/** One evaluation child seen from its parent: takes one request at a time and is killed when it breaks a limit. */
export class EvaluationChild implements PooledChild {
  readonly #process: ChildProcess;
  readonly #exited: Promise<string>;
  #stderrTail = '';
  #alive = true;
  #ready = false;
  #device: DeviceReport | undefined;
  lastSet: string | undefined;

  constructor(command: ChildCommand) {
    this.#process = fork(command.modulePath, [...(command.args ?? [])], {
      execPath: command.execPath,
      execArgv: [...command.execArgv],
      env: { ...command.environment },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#process.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#stderrTail = (this.#stderrTail + text).slice(-stderrTailCharacters);
    });
    this.#exited = new Promise((resolve) => {
      this.#process.once('error', (error) => resolve(error.message));
      this.#process.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    void this.#exited.then(() => (this.#alive = false));
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Resolves when the process is gone, for any reason. */
  get exited(): Promise<unknown> {
    return this.#exited;
  }

  /** What the child said at its start that it can evaluate on; undefined before. */
  get device(): DeviceReport | undefined {
    return this.#device;
  }

  /** The end of what the child wrote to stderr. */
  get stderrTail(): string {
    return this.#stderrTail;
  }

  /** Bytes the child owns now; undefined when it is gone. */
  memoryBytes(): Promise<number | undefined> {
    return this.#process.pid === undefined ? Promise.resolve(undefined) : processMemoryBytes(this.#process.pid);
  }

  /**
   * Sends a request and awaits its reply. The deadline counts from the end of the child's start. Rejects with
   * `eval-timeout`, `eval-memory`, `eval-crashed` or `cancelled`; the child is dead then, and its memory free.
   */
  async ask(request: ChildRequest, limits: ChildLimits, signal?: AbortSignal): Promise<ChildReply> {
    try {
      if (!this.#ready) {
        const ready = await this.#reply({ deadlineMs: startDeadlineMs, memoryMaxBytes: limits.memoryMaxBytes }, signal);
        if (ready.kind === 'ready') this.#device = ready.device;
      }
      this.#ready = true;
      return await this.#reply(limits, signal, request);
    } catch (error) {
      await this.kill();
      throw error;
    }
  }

  /** Ends the process at once and waits until it is gone. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([this.#exited, new Promise((resolve) => (timer = setTimeout(resolve, exitWaitMs)))]);
    clearTimeout(timer);
  }

  /** Awaits the child's next message, within the limits; sends `request` first, if there is one. */
  #reply(limits: ChildLimits, signal: AbortSignal | undefined, request?: ChildRequest): Promise<ChildReply> {
    const { promise, resolve, reject } = withResolvers<ChildReply>();
    const deadline = setTimeout(() => reject(tooLate(limits.deadlineMs, request === undefined)), limits.deadlineMs);
    const poll = setInterval(() => void this.#watchMemory(limits.memoryMaxBytes, reject), memoryPollMs);
    const onAbort = () => reject(new FirnError('cancelled', 'The evaluation was cancelled.'));
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#process.once('message', resolve);
    void this.#exited.then((how) => reject(this.#crash(how)));
    if (signal?.aborted) onAbort();
    else if (request !== undefined) this.#process.send(request, (error) => error && reject(this.#crash(error.message)));
    return promise.finally(() => {
      clearTimeout(deadline);
      clearInterval(poll);
      signal?.removeEventListener('abort', onAbort);
      this.#process.off('message', resolve);
    });
  }

  async #watchMemory(memoryMaxBytes: number, reject: (error: FirnError) => void): Promise<void> {
    const bytes = await this.memoryBytes();
    if (bytes !== undefined && bytes > memoryMaxBytes) reject(outOfMemory(`${bytes} bytes, ${memoryMaxBytes} allowed`));
  }

  #crash(how: string): FirnError {
    const detail = `${how}\n${this.#stderrTail}`;
    return isMemoryFailure(this.#stderrTail)
      ? outOfMemory(detail)
      : new FirnError('eval-crashed', 'The evaluation process ended unexpectedly.', { detail });
  }
}

function tooLate(deadlineMs: number, starting: boolean): FirnError {
  const limit = `${deadlineMs / 1000} s`;
  return starting
    ? new FirnError('eval-crashed', `The evaluation process did not start within ${limit}.`)
    : new FirnError('eval-timeout', `The evaluation took longer than ${limit}.`);
}

interface Resolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** Promise.withResolvers, which Node 20 lacks. */
function withResolvers<T>(): Resolvers<T> {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
