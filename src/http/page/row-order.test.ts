import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLongRuns, type LongRuns } from './long-run.test-support.ts';

/** Two pages of checkpoints, and a part of a third. */
const count = 120;
let runs: LongRuns;

beforeAll(async () => {
  runs = await openLongRuns(count);
}, 120_000);
afterAll(async () => {
  await runs?.close();
});

async function open(where: string): Promise<string> {
  const answer = await runs.app.request(where, { headers: { accept: 'text/html' } });
  expect(answer.status).toBe(200);
  return (await answer.text()).replaceAll('&amp;', '&');
}

const run = (query = ''): string => `${runs.path}/runs/long${query}`;

function stepsIn(text: string): number[] {
  return [...text.matchAll(/runs\/long\/(\d+)">\1</g)].map(([, step]) => Number(step) / 100);
}

function runsIn(text: string): (string | undefined)[] {
  return [...text.matchAll(/runs\/(long|other)">\1</g)].map(([, name]) => name);
}

/** The link of a column's header, and the order that the header declares. */
function headerOf(text: string, column: string): { href: string; title: string; sorted: string | undefined } {
  const found = new RegExp(`<th scope="col"[^>]*?(?:aria-sort="(\\w+)")?><a href="([^"]*)" title="([^"]*)">${column}<`);
  const [, sorted, href, title] = found.exec(text)!;
  return { href: href!, title: title!, sorted };
}

const ascending = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);

describe('the order of checkpoints', () => {
  it('is the newest first, and by the header of the step the oldest first, page after page', async () => {
    const newest = await open(run());
    expect(stepsIn(newest)).toEqual(ascending(70, 120).reverse());
    expect(headerOf(newest, 'Step').sorted).toBe('descending');
    const oldest = await open(headerOf(newest, 'Step').href);
    expect(stepsIn(oldest)).toEqual(ascending(0, 50));
    expect(headerOf(oldest, 'Step').sorted).toBe('ascending');
    const [, next] = /href="([^"]*after=[^"]*)">Next page/.exec(oldest)!;
    expect(stepsIn(await open(next!))).toEqual(ascending(50, 100));
  });

  it('by stored bytes and ratio is that of the page, keeps its rows, and says so', async () => {
    const second = await open(run('?after=70'));
    const toLargest = headerOf(second, 'Stored');
    expect(toLargest.title).toBe('largest first, among the rows of this page alone');
    const largest = await open(toLargest.href);
    // Each checkpoint stores one byte more than the one before.
    expect(stepsIn(largest)).toEqual(ascending(20, 70).reverse());
    expect(largest).toContain('largest first among those of this page</h2>');
    expect(headerOf(largest, 'Stored').sorted).toBe('descending');
    expect(headerOf(largest, 'Step').sorted).toBeUndefined();
    const smallest = await open(headerOf(largest, 'Stored').href);
    expect(stepsIn(smallest)).toEqual(ascending(20, 70));
    const leastRatio = await open(headerOf(smallest, 'Ratio').href);
    expect(stepsIn(leastRatio)).toEqual(ascending(20, 70).reverse());
    expect(stepsIn(await open(headerOf(leastRatio, 'Ratio').href))).toEqual(ascending(20, 70));
    const [, next] = /href="([^"]*after=[^"]*)">Next page/.exec(smallest)!;
    expect(stepsIn(await open(next!))).toEqual(ascending(0, 20));
  });

  it.each(['size', 'newest;drop', '__proto__'])('%s is refused', async (order) => {
    const answer = await runs.app.request(run(`?order=${encodeURIComponent(order)}`), {
      headers: { accept: 'text/html' },
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('is one of newest, oldest, largest');
  });
});

describe('the order of runs', () => {
  it.each([
    ['', ['long', 'other']],
    ['?order=name', ['long', 'other']],
    ['?order=newest', ['other', 'long']],
    ['?order=oldest', ['long', 'other']],
  ])('with "%s" is %j', async (query, names) => {
    expect(runsIn(await open(`${runs.path}${query}`))).toEqual(names);
  });

  it('by stored bytes follows what runs store', async () => {
    await runs.hideCheckpoint('long', 0);
    const text = await open(runs.path);
    expect(headerOf(text, 'Run').sorted).toBe('ascending');
    const largest = await open(headerOf(text, 'Stored').href);
    expect(runsIn(largest)).toEqual(['other', 'long']);
    // All runs are on this page, so the heading has nothing to add.
    expect(largest).toContain('largest first</h2>');
    expect(runsIn(await open(headerOf(largest, 'Stored').href))).toEqual(['long', 'other']);
    expect((await runs.app.request(`${runs.path}?order=ratio`, { headers: { accept: 'text/html' } })).status).toBe(400);
  });
});
