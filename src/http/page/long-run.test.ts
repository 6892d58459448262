import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLongRuns, type LongRuns } from './long-run.test-support.ts';

const count = 10_000;
/** Largest page, in bytes. */
const pageBytesMax = 100_000;
/** Longest median of the time that a page takes, in ms. The slowest took 1355 on two cores with a load of 27. */
const renderMsMax = 10_000;
/** Most statements that a page asks of the catalog, however long its run is: a run's page took 10. */
const statementsMax = 12;

let runs: LongRuns;

beforeAll(async () => {
  runs = await openLongRuns(count);
}, 300_000);
afterAll(async () => {
  await runs?.close();
});

async function open(where: string): Promise<string> {
  const answer = await runs.app.request(where, { headers: { accept: 'text/html' } });
  expect(answer.status).toBe(200);
  return answer.text();
}

async function medianMs(where: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 7; i++) {
    const startMs = performance.now();
    await open(where);
    times.push(performance.now() - startMs);
  }
  return times.sort((a, b) => a - b)[3]!;
}

describe(`a run of ${count} checkpoints`, () => {
  it.each(['/', '', '/runs/long', '/runs/long?after=5000', '/runs/long/500000', '/compare?one=long&two=other'])(
    'keeps %s small, and answers within a bound',
    async (tail) => {
      const where = tail === '/' ? tail : `${runs.path}${tail}`;
      const before = runs.statements();
      expect(Buffer.byteLength(await open(where))).toBeLessThan(pageBytesMax);
      const statements = runs.statements() - before;
      expect(statements).toBeGreaterThan(0);
      expect(statements).toBeLessThanOrEqual(statementsMax);
      const ms = await medianMs(where);
      if (process.env['FIRN_SHOW_TIMES'] === '1')
        process.stderr.write(`${tail}: ${ms.toFixed(1)} ms, ${statements} statements\n`);
      expect(ms).toBeLessThan(renderMsMax);
    },
    60_000,
  );

  it('draws a sample and says so, and lists all of it in pages', async () => {
    const text = await open(`${runs.path}/runs/long`);
    expect(text).toMatch(/draw 1\d\d of 10,000 checkpoints/);
    expect(text).toContain('10,000 ready');
    const dots = [.../class="node \w+"[^>]* d="([^"]*)"/g[Symbol.matchAll](text)].map(
      ([, d]) => d!.split('M').length - 1,
    );
    expect(dots.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(121);
    const steps = [...text.matchAll(/runs\/long\/(\d+)">\1</g)].map(([, step]) => Number(step));
    expect(steps).toEqual(Array.from({ length: 50 }, (_, at) => 100 * (count - 1 - at)));
    const [, next] = /href="([^"]*after=[^"]*)">Next page/.exec(text)!;
    expect(await open(next!)).toContain(`runs/long/${100 * (count - 51)}">`);
  });
});
