import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeOnPostgres, onServer } from '../../../test/postgres/create-database.ts';
import { stopBackends } from '../../../test/postgres/stop-backends.ts';
import { localNotices, noticeBytesMax, type Notices } from './notices.ts';
import { PostgresNotices } from './postgres-notices.ts';
import { createTestDatabase, type TestCatalogDatabase } from '../postgres/test-postgres.test-support.ts';

/** Longest wait for a notice, in ms. */
const heardMs = 20_000;

/** Collects a listener's notices, and waits for one. */
function listen(notices: Notices, channel: string) {
  const heard: string[] = [];
  const stop = notices.subscribe(channel, (body) => heard.push(body));
  const until = async (body: string, say: () => void = () => undefined): Promise<void> => {
    for (const deadline = performance.now() + heardMs; !heard.includes(body); await pause(50)) {
      if (performance.now() > deadline) throw new Error(`not heard: ${body}`);
      say();
    }
  };
  return { heard, stop, until };
}

test('in one process a notice reaches those who listen to its channel, until they stop', () => {
  const notices = localNotices();
  const [here, there] = [listen(notices, 'a'), listen(notices, 'b')];
  notices.publish('a', '1');
  here.stop();
  notices.publish('a', '2');
  expect([here.heard, there.heard]).toEqual([['1'], []]);
});

describeOnPostgres('notices over a server', () => {
  let database: TestCatalogDatabase;
  const opened: PostgresNotices[] = [];
  const open = ({ statementMs = 5_000 } = {}): PostgresNotices => {
    const notices = new PostgresNotices({ url: database.url, connectMs: 5_000, statementMs }, () => undefined);
    opened.push(notices);
    return notices;
  };
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    for (const notices of opened.splice(0)) await notices.close();
    await database.drop();
  });

  describe('from one process to another', () => {
    test('they arrive once, in order, and on their channel alone; nonsense is passed over', async () => {
      const [from, to] = [open(), open()];
      const [here, other] = [listen(to, 'progress'), listen(to, 'jobs')];
      await here.until('start', () => from.publish('progress', 'start'));
      await onServer(database.url, `select pg_notify('firn_notices', 'nonsense'), pg_notify('firn_notices', '[1, 2]')`);
      const bodies = Array.from({ length: 50 }, (_, index) => `n${index} "ü" \n`);
      for (const body of bodies) from.publish('progress', body);
      await here.until(bodies.at(-1)!);
      expect(here.heard.filter((body) => body !== 'start')).toEqual(bodies);
      expect(other.heard).toEqual([]);
    });

    test('a process hears its own, also those that are too long for the server', async () => {
      const notices = open();
      const mine = listen(notices, 'progress');
      const long = 'x'.repeat(noticeBytesMax);
      await mine.until('short', () => notices.publish('progress', 'short'));
      notices.publish('progress', long);
      await mine.until(long);
    });

    test('after the connections have ended they are heard again', async () => {
      const [from, to] = [open(), open()];
      const here = listen(to, 'progress');
      await here.until('before', () => from.publish('progress', 'before'));
      await onServer(
        database.url,
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and ' +
          'pid <> pg_backend_pid()',
      );
      await here.until('after', () => from.publish('progress', 'after'));
    });

    test.each([
      ['with a notice under way', true],
      ['with nothing under way', false],
    ])('a listening connection that stands still %s is replaced within seconds', async (_, saysSomething) => {
      // Statement limits of a real server; they must not limit a listener's wait.
      const [from, to] = [open({ statementMs: 30_000 }), open({ statementMs: 30_000 })];
      const here = listen(to, 'progress');
      await here.until('before', () => from.publish('progress', 'before'));
      const stopped = await stopBackends(database.url);
      try {
        expect(stopped.count).toBe(2);
        if (saysSomething) for (const notices of [from, to]) notices.publish('progress', 'under way');
        await here.until('after', () => from.publish('progress', 'after'));
        // Its own notices arrive without the server, those of another process only over a new connection.
        await onServer(database.url, `select pg_notify('firn_notices', '["progress", "of another"]')`);
        await here.until('of another', () => from.publish('progress', 'again'));
      } finally {
        stopped.resume();
      }
    });
  });
});
