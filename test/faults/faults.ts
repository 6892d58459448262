import { setTimeout as pause } from 'node:timers/promises';
import type { SmallDisk } from '../acceptance/small-disk.ts';
import { onServer } from '../postgres/create-database.ts';
import type { Fault, FaultProxy } from '../../src/store/fault-proxy.test-support.ts';
import type { LineFault, TcpProxy } from './tcp-proxy.ts';

/** A fault that lasts for a while. */
export interface Episode {
  readonly name: string;
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** Interval between broken connections during an episode, in ms. */
const resetEveryMs = 250;
/** Share of broken requests to the storage, in episodes that do not break all. */
const harmedShare = 0.3;

/** Does something repeatedly, one call at a time. */
function repeatedly(work: () => void | Promise<unknown>): Pick<Episode, 'begin' | 'end'> {
  let isOver = false;
  let working = Promise.resolve();
  return {
    begin: async () => {
      isOver = false;
      working = (async () => {
        for (; !isOver; await pause(resetEveryMs)) await work();
      })();
    },
    end: async () => {
      isOver = true;
      await working;
    },
  };
}

/** Every fault between a hub and its database server. */
export function postgresEpisodes(proxy: TcpProxy, ownersUrl: string): Episode[] {
  const line = (name: string, fault: LineFault): Episode => ({
    name: `postgres ${name}`,
    begin: async () => void (proxy.fault = fault),
    end: async () => void (proxy.fault = undefined),
  });
  const terminate =
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = ' +
    "'client backend'";
  return [
    { name: 'postgres refused', begin: () => proxy.refuse(), end: () => proxy.accept() },
    { name: 'postgres reset', ...repeatedly(() => proxy.reset()) },
    {
      name: 'postgres sessions ended by the server',
      ...repeatedly(() => onServer(ownersUrl, terminate).catch(() => undefined)),
    },
    line('slow', { kind: 'slow', ms: 150 }),
    line('stalled', { kind: 'stall' }),
    line('truncated', { kind: 'truncate' }),
  ];
}

/** Every fault between a hub and its bucket. */
export function bucketEpisodes(proxy: FaultProxy, random: () => number): Episode[] {
  const harm = (name: string, fault: Fault, share: number): Episode => ({
    name: `bucket ${name}`,
    begin: async () => void (proxy.choose = () => (random() < share ? fault : undefined)),
    end: async () => void (proxy.choose = () => undefined),
  });
  return [
    { name: 'bucket refused', begin: () => proxy.refuse(), end: () => proxy.accept() },
    harm('reset before the request', { kind: 'lose-request' }, 1),
    harm('reset after the request', { kind: 'lose-answer' }, harmedShare),
    harm('slow', { kind: 'delay', ms: 1500 }, harmedShare),
    harm('answers 500', { kind: 'answer', status: 500, code: 'InternalError' }, 1),
    harm('answers 500 now and then', { kind: 'answer', status: 500, code: 'InternalError' }, harmedShare),
    harm('answers 503', { kind: 'answer', status: 503, code: 'SlowDown' }, 1),
    harm('truncated', { kind: 'truncate' }, harmedShare),
    harm('truncated always', { kind: 'truncate' }, 1),
    harm('stalled', { kind: 'stall' }, harmedShare),
  ];
}

/** A full disk below the hub's directory: completely full, or with room for small files. */
export function diskEpisodes(disk: SmallDisk): Episode[] {
  return [0, 256 * 1024].map((leaveBytes) => ({
    name: `disk full but for ${leaveBytes} bytes`,
    begin: async () => disk.fill(leaveBytes),
    end: async () => disk.empty(),
  }));
}
