/**
 * Measures pages in Chromium: `npm run bench:page -- [--checkpoints 10000] [--rounds 9]`. A gateway in this process
 * serves a repository with two runs of so many checkpoints, its catalog in memory. Each round opens each page in a new
 * context, so nothing comes from the browser's cache, and right after it the same HTML, style and script, with the same
 * header fields, from a bare `node:http` server, which is what the browser takes of the time. Prints medians of the
 * first contentful paint and of the time until the HTML was there, in ms from the start of the navigation, and the
 * HTML's bytes. Chromium and the server share the processor. Needs Chromium.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { startServer } from '../src/http/start-server.ts';
import { openLongRuns } from '../src/http/page/long-run.test-support.ts';
import { openBrowser } from '../test/page/open-browser.ts';
import { describeRun } from './report/describe-run.ts';
import { median } from './speed/timed-rounds.ts';

interface Load {
  readonly paintMs: number;
  readonly htmlMs: number;
}

/** Header fields that the bare server sets itself; `fetch` has decoded the body. */
const ofTransport = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
]);

const { values } = parseArgs({
  options: { checkpoints: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '9' } },
});
const [checkpoints, rounds] = [Number(values.checkpoints), Number(values.rounds)];
const runs = await openLongRuns(checkpoints);
const server = await startServer({ app: runs.app, host: '127.0.0.1', port: 0 });
const browser = await openBrowser();
try {
  const middle = 100 * Math.floor(checkpoints / 2);
  const pages = { front: '/', repository: runs.path, run: `${runs.path}/runs/long` };
  const all = {
    ...pages,
    checkpoint: `${runs.path}/runs/long/${middle}`,
    compare: `${runs.path}/compare?one=long&two=other`,
  };
  process.stdout.write(`${describeRun('bench:page', process.argv.slice(2))}\n\n`);
  process.stdout.write('| page | bytes | first paint | HTML there | the same, bare: first paint | HTML there |\n');
  process.stdout.write('| --- | ---: | ---: | ---: | ---: | ---: |\n');
  for (const [name, path] of Object.entries(all)) process.stdout.write(await measure(name, path));
} finally {
  await browser.close();
  await server.close(1000);
  await runs.close();
}

/** One row of the table: medians over the rounds, after one that does not count. */
async function measure(name: string, path: string): Promise<string> {
  const bare = await serveCopies(path);
  const [own, copied]: [Load[], Load[]] = [[], []];
  try {
    for (let round = 0; round <= rounds; round++) {
      const [first, second] = [await load(browser, `${server.url}${path}`), await load(browser, `${bare.url}${path}`)];
      if (round === 0) continue;
      own.push(first);
      copied.push(second);
    }
  } finally {
    bare.close();
  }
  const inMs = (loads: readonly Load[], of: keyof Load): string => median(loads.map((each) => each[of])).toFixed(0);
  return (
    `| ${name} | ${bare.htmlBytes} | ${inMs(own, 'paintMs')} | ${inMs(own, 'htmlMs')} | ` +
    `${inMs(copied, 'paintMs')} | ${inMs(copied, 'htmlMs')} |\n`
  );
}

/** Opens a page in a context of its own. */
async function load(from: Browser, url: string): Promise<Load> {
  const context = await from.newContext();
  try {
    const page = await context.newPage();
    await page.goto(url);
    return await page.evaluate<Load>(`new Promise((resolve) => new PerformanceObserver((list) => {
      const paint = list.getEntries().find(({ name }) => name === 'first-contentful-paint');
      const [{ responseEnd }] = performance.getEntriesByType('navigation');
      if (paint) resolve({ paintMs: paint.startTime, htmlMs: responseEnd });
    }).observe({ type: 'paint', buffered: true }))`);
  } finally {
    await context.close();
  }
}

/** A server of the page and its assets as they are now, from memory. */
async function serveCopies(path: string) {
  const copies = new Map<string, { readonly body: Buffer; readonly headers: Record<string, string> }>();
  const copy = async (at: string): Promise<string> => {
    const answer = await fetch(`${server.url}${at}`, { headers: { accept: 'text/html' } });
    if (!answer.ok) throw new Error(`${at} answered ${answer.status}`);
    const body = Buffer.from(await answer.arrayBuffer());
    copies.set(at, {
      body,
      headers: Object.fromEntries([...answer.headers].filter(([name]) => !ofTransport.has(name))),
    });
    return body.toString();
  };
  const html = await copy(path);
  for (const [, at] of html.matchAll(/(?:href|src)="(\/-\/[^"]*\.(?:css|js|svg)[^"]*)"/g)) await copy(at!);
  const bare = createServer(({ url }, answer) => {
    const found = copies.get(url ?? '');
    answer.writeHead(found === undefined ? 404 : 200, found?.headers).end(found?.body);
  });
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(bare.address() as AddressInfo).port}`,
    htmlBytes: copies.get(path)!.body.length,
    close: () => {
      bare.closeAllConnections();
      bare.close();
    },
  };
}
