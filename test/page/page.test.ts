import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSeries } from '../../src/cli/demo/read-series.ts';
import { browserPath, openBrowser } from './open-browser.ts';
import { pageRepository, startPageHub, type PageHub } from './start-page-hub.ts';

/** Largest document, in bytes. */
const pageBytesMax = 100_000;

const series = readSeries(fileURLToPath(new URL('../../examples/lm-small', import.meta.url)));
const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const run = `/${pageRepository}/runs/train`;
const paths = [
  '/',
  `/${pageRepository}`,
  run,
  `${run}?order=largest`,
  `${run}/latest`,
  `/${pageRepository}/compare?one=train&two=train-resumed`,
  '/-/usage',
  '/-/queue',
  '/-/tokens',
  '/-/sign-in',
  '/nobody/nothing',
];

if (browserPath === undefined)
  process.stderr.write('The pages are not tried in a browser: Chromium is missing (apt-get install chromium).\n');

describe.skipIf(browserPath === undefined)('the pages in Chromium', () => {
  let hub: PageHub;
  let browser: Browser;
  beforeAll(async () => {
    [hub, browser] = await Promise.all([startPageHub(series), openBrowser()]);
  }, 600_000);
  afterAll(async () => {
    await browser?.close();
    await hub?.close();
  });

  /** Opens a page, and gives what the console complained of. */
  const open = async (path: string, options: BrowserContextOptions = {}): Promise<{ page: Page; errors: string[] }> => {
    const page = await (await browser.newContext({ baseURL: hub.url, ...options })).newPage();
    const errors: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(path);
    return { page, errors };
  };

  for (const colorScheme of ['light', 'dark'] as const)
    it.each(paths)(`%s is accessible, without complaint, ${colorScheme}`, async (path) => {
      const { page, errors } = await open(path, { colorScheme, bypassCSP: true });
      await page.addScriptTag({ path: axePath });
      const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
        '(async () => axe.run({ resultTypes: ["violations"] }))()',
      );
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
      const isFailure = path.startsWith('/nobody');
      expect(errors.filter((text) => !(isFailure && text.includes('404')))).toEqual([]);
      await page.context().close();
    });

  it.each(paths)('%s keeps its own policy, fits a narrow screen, and is small', async (path) => {
    const { page, errors } = await open(path, { viewport: { width: 360, height: 700 } });
    expect(errors.filter((text) => !text.includes('404'))).toEqual([]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    expect(Buffer.byteLength(await page.content())).toBeLessThan(pageBytesMax);
    await page.context().close();
  });

  it('leads from the search to a checkpoint and its ancestor, without scripts', async () => {
    const { page } = await open('/', { javaScriptEnabled: false });
    await page.getByLabel('Part of namespace/name').fill('series');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: pageRepository }).click();
    await page.getByRole('link', { name: 'train', exact: true }).click();
    expect(await page.getByRole('img').count()).toBeGreaterThanOrEqual(4);
    await page.getByText('The figures of these charts').click();
    expect(await page.getByRole('region', { name: 'Figures of the charts' }).isVisible()).toBe(true);
    const steps = page.getByRole('region', { name: /^Checkpoints, / }).getByRole('rowheader');
    const newest = Number(await steps.first().innerText());
    await page.getByRole('columnheader', { name: 'Step' }).getByRole('link').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Checkpoints, oldest first' }).waitFor();
    expect(Number(await steps.first().innerText())).toBeLessThan(newest);
    await steps.first().getByRole('link').click();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('train@');
    expect(await page.getByText('HF_ENDPOINT').innerText()).toContain(hub.url);
    await page.context().close();
  });

  it('is usable by keyboard: the first key skips to the content', async () => {
    const { page } = await open(run);
    await page.keyboard.press('Tab');
    expect(await page.evaluate<string>('document.activeElement.textContent.trim()')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate<string>('location.hash')).toBe('#content');
    await page.context().close();
  });

  it('makes a token and revokes it after its name was typed', async () => {
    const { page, errors } = await open('/-/tokens');
    await page.getByLabel('Name, for people').fill('from the page');
    await page.getByLabel('Grants').fill(`read:${pageRepository}`);
    await page.getByRole('button', { name: 'Make a token' }).click();
    expect(await page.locator('.secret').innerText()).toMatch(/^hf_\w{44}$/);
    await page.getByLabel('Type from the page to revoke it').fill('from the page');
    await page.getByRole('button', { name: 'Revoke' }).click();
    expect(await page.getByText(/^revoked/).count()).toBe(1);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});
