import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import type { ShellBlock } from './shell-blocks.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Deadline for a server to listen, on a busy machine, in ms; it may have to be compiled. */
const startDeadlineMs = 300_000;
/** Deadline of one block: evaluations, on a busy machine, in ms. */
const blockDeadlineMs = 300_000;
/** Deadline for a server to end, in ms. */
const stopDeadlineMs = 60_000;
/** Interval between looks at a terminal's output, in ms. */
const pollMs = 100;
/** The server's address and the token as the pages write them. */
const [addressOfPages, tokenOfPages] = ['127.0.0.1:8080', 'hf_...'];

export interface ShellOptions {
  readonly program: 'bash' | 'sh';
  /** A folder of programs that are found before all others. */
  readonly programs?: string | undefined;
}

/** Where a terminal is opened. */
interface Place {
  readonly directory: string;
  readonly port: number;
  readonly programs: string | undefined;
}

interface Terminal {
  readonly child: ChildProcess;
  output: string;
}

/**
 * Runs blocks of pages like a reader: in a folder that looks like a clone, with one shell that keeps its variables, and
 * servers beside it. It replaces the address in pages by that of a free port, and the token by the one that the server
 * printed.
 */
export class PageShell {
  readonly #place: Place;
  readonly #shell: Terminal;
  readonly #servers: Terminal[] = [];
  #token: string | undefined;
  #blocks = 0;

  private constructor(place: Place, program: string) {
    this.#place = place;
    // The shell ends at the first failing command, so that none fails unnoticed.
    this.#shell = terminal(program, ['-eu'], place);
  }

  /** `directory` is empty, and becomes a clone. */
  static async open(directory: string, { program, programs }: ShellOptions): Promise<PageShell> {
    for (const name of readdirSync(root))
      if (!name.startsWith('.') && name !== 'data') symlinkSync(join(root, name), join(directory, name));
    return new PageShell({ directory, port: await freePort(), programs }, program);
  }

  /**
   * The output of the block. Rejects with it if a command fails, a server does not start, or a deadline passes.
   */
  async run({ kind, text }: ShellBlock): Promise<string> {
    if (kind === 'elsewhere') return '';
    if (kind === 'stopped') await this.#stopServers();
    const commands = this.#filledIn(text);
    return kind === 'server' ? this.#serve(commands) : this.#ask(commands);
  }

  /**
   * From now on `npx firn` starts the program at once. npx itself, which only looks for it, takes a second of each
   * command.
   */
  async skipNpx(): Promise<void> {
    const folder = join(this.#place.directory, 'without-npx');
    mkdirSync(folder);
    const [node, npx] = [process.execPath, join(dirname(process.execPath), 'npx')];
    const lines = ['#!/bin/sh', `[ "$1" = firn ] || exec '${npx}' "$@"`, 'shift', `exec '${node}' bin/firn.mjs "$@"`];
    writeFileSync(join(folder, 'npx'), `${lines.join('\n')}\n`, { mode: 0o755 });
    await this.#ask(`PATH='${folder}':$PATH`);
  }

  async close(): Promise<void> {
    this.#shell.child.stdin!.end();
    this.#shell.child.kill('SIGKILL');
    await this.#stopServers();
  }

  #filledIn(text: string): string {
    const here = text.replaceAll(addressOfPages, `127.0.0.1:${this.#place.port}`);
    if (!here.includes(tokenOfPages)) return here;
    if (this.#token === undefined) throw new Error(`a token is used before a server has printed one: ${text}`);
    return here.replaceAll(tokenOfPages, this.#token);
  }

  async #ask(commands: string): Promise<string> {
    const { child } = this.#shell;
    const from = this.#shell.output.length;
    const end = `-- end of block ${(this.#blocks += 1)} --`;
    child.stdin!.write(`${commands}\nprintf '\\n%s\\n' '${end}'\n`);
    const said = (): string => this.#shell.output.slice(from);
    await waitFor(() => said().includes(`\n${end}\n`), {
      of: this.#shell,
      deadlineMs: blockDeadlineMs,
      doing: commands,
    });
    return said().replace(`${end}\n`, '');
  }

  async #serve(commands: string): Promise<string> {
    const server = terminal('sh', ['-c', commands], this.#place);
    this.#servers.push(server);
    // The first server prints a token; later ones use its data.
    const isUp = (): boolean =>
      server.output.includes('listening on') && (this.#token ??= /hf_\w+/.exec(server.output)?.[0]) !== undefined;
    await waitFor(isUp, { of: server, deadlineMs: startDeadlineMs, doing: commands });
    return server.output;
  }

  async #stopServers(): Promise<void> {
    for (const { child } of this.#servers.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      process.kill(-child.pid!, 'SIGTERM');
      const kill = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), stopDeadlineMs);
      await ended;
      clearTimeout(kill);
    }
  }
}

/** Starts a process that leads its own group, so that its children end with it. */
function terminal(program: string, args: readonly string[], place: Place): Terminal {
  const own = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(FIRN_|HF_|npm_|NODE_)/.test(key)));
  const path = place.programs === undefined ? {} : { PATH: `${place.programs}:${process.env.PATH}` };
  const child = spawn(program, args, {
    cwd: place.directory,
    env: { ...own, ...path, FIRN_PORT: String(place.port), HF_HOME: join(place.directory, 'hub-cache') },
    detached: true,
  });
  const result: Terminal = { child, output: '' };
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => (result.output += text));
  child.on('error', (error) => (result.output += error.message));
  return result;
}

async function waitFor(
  isSo: () => boolean,
  { of, deadlineMs, doing }: { of: Terminal; deadlineMs: number; doing: string },
): Promise<void> {
  const end = Date.now() + deadlineMs;
  while (!isSo()) {
    const { exitCode, signalCode } = of.child;
    if (exitCode !== null || signalCode !== null)
      throw new Error(`ended with ${exitCode ?? signalCode} at\n${doing}\nand said\n${of.output}`);
    if (Date.now() > end) throw new Error(`not done within ${deadlineMs / 1000} s:\n${doing}\nand said\n${of.output}`);
    await pause(pollMs);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
