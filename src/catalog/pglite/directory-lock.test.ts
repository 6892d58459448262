import fs, { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lockDirectory } from './directory-lock.ts';
import { thisProcess } from './process-identity.ts';

let directory: string;
const path = () => join(directory, 'lock');
const refusal = expect.objectContaining({ code: 'conflict' });
const leave = (owner: object, ageMs = 0) => {
  writeFileSync(path(), JSON.stringify({ token: 'theirs', ...owner }));
  const time = new Date(Date.now() - ageMs);
  utimesSync(path(), time, time);
};

/** Moves this process's clock; the file system has a clock of its own. */
const clockOff = (ms: number) => vi.setSystemTime(realNow() + ms);
let realNow: () => number;

beforeEach(() => {
  const started = performance.now();
  const startedAt = Date.now();
  const { performance: clock } = globalThis;
  realNow = () => startedAt + (clock.now() - started);
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: startedAt });
  directory = mkdtempSync(join(tmpdir(), 'firn-lock-'));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(directory, { recursive: true });
});

test('one holder at a time, also inside one process; released, it is free', () => {
  const lock = lockDirectory(directory);
  expect(() => lockDirectory(directory)).toThrow(refusal);
  expect(() => lockDirectory(directory)).toThrow(String(process.pid));
  lock.release();
  lock.release();
  expect(existsSync(path())).toBe(false);
  lockDirectory(directory).release();
});

test('a living process of this machine keeps its lock, however old the file is', () => {
  leave(thisProcess(), 3600_000);
  expect(() => lockDirectory(directory)).toThrow(refusal);
});

test('a dead process loses its lock', () => {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  leave({ ...thisProcess(), pid });
  const lock = lockDirectory(directory);
  expect(JSON.parse(readFileSync(path(), 'utf8'))).toMatchObject({ pid: process.pid });
  lock.release();
});

test.skipIf(thisProcess().started === undefined)(
  'a process that only has the number of the dead one does not keep the lock (skipped where no start time is told)',
  () => {
    leave({ ...thisProcess(), started: '1' });
    lockDirectory(directory).release();
  },
);

test('a lock of another machine counts while it is touched', () => {
  leave({ ...thisProcess(), machine: 'elsewhere' }, 5_000);
  expect(() => lockDirectory(directory)).toThrow(refusal);
  leave({ ...thisProcess(), machine: 'elsewhere' }, 60_000);
  lockDirectory(directory).release();
});

test('a lock of another machine counts, too, for a process whose clock is ahead', () => {
  leave({ ...thisProcess(), machine: 'elsewhere' }, 5_000);
  clockOff(+10 * 60_000);
  expect(() => lockDirectory(directory)).toThrow(refusal);
  expect(readdirSync(directory)).toEqual(['lock']);
});

test('a holder whose clock is behind renews its lock for processes of other machines', () => {
  clockOff(-10 * 60_000);
  const lock = lockDirectory(directory);
  vi.advanceTimersByTime(5_000);
  clockOff(0);
  writeFileSync(path(), readFileSync(path(), 'utf8').replace(/"machine":"[^"]*"/, '"machine":"elsewhere"'));
  const old = new Date(Date.now() - 60_000);
  utimesSync(path(), old, old);
  clockOff(-10 * 60_000);
  vi.advanceTimersByTime(5_000);
  clockOff(0);
  expect(() => lockDirectory(directory)).toThrow(refusal);
  lock.release();
  expect(readdirSync(directory)).toEqual([]);
});

test('a lock that is just being written counts, an old torn one does not', () => {
  writeFileSync(path(), '{"pid":');
  expect(() => lockDirectory(directory)).toThrow(refusal);
  const old = new Date(Date.now() - 60_000);
  utimesSync(path(), old, old);
  lockDirectory(directory).release();
});

test('a takeover under way is not joined; one that died in the middle is repeated', () => {
  leave({ ...thisProcess(), started: 'x', machine: 'elsewhere' }, 60_000);
  writeFileSync(`${path()}.takeover`, '{}');
  expect(() => lockDirectory(directory)).toThrow(refusal);
  const old = new Date(Date.now() - 60_000);
  utimesSync(`${path()}.takeover`, old, old);
  lockDirectory(directory).release();
  expect(existsSync(`${path()}.takeover`)).toBe(false);
});

test('a takeover whose process was killed is repeated at once', () => {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const killed = { ...thisProcess(), pid };
  leave(killed, 60_000);
  writeFileSync(`${path()}.takeover`, JSON.stringify(killed));
  lockDirectory(directory).release();
  expect(existsSync(`${path()}.takeover`)).toBe(false);
});

test('a lock that was taken over is not removed by its earlier holder', () => {
  const lock = lockDirectory(directory);
  leave({ ...thisProcess(), machine: 'elsewhere' });
  lock.release();
  expect(existsSync(path())).toBe(true);
});

test('a disk error while locking passes unchanged, and leaves nothing that would refuse the next start', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const onFullDisk = (lock: () => void) => {
    const { writeSync } = fs;
    fs.writeSync = () => {
      throw full;
    };
    syncBuiltinESMExports();
    try {
      lock();
    } finally {
      fs.writeSync = writeSync;
      syncBuiltinESMExports();
    }
  };
  onFullDisk(() => expect(() => lockDirectory(directory)).toThrow(full));
  expect(readdirSync(directory)).toEqual([]);
  leave({ ...thisProcess(), machine: 'elsewhere' }, 60_000);
  onFullDisk(() => expect(() => lockDirectory(directory)).toThrow(full));
  expect(readdirSync(directory)).toEqual(['lock']);
  lockDirectory(directory).release();
});
