import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSeries } from '../../src/cli/demo/read-series.ts';
import { browserPath, openBrowser } from './open-browser.ts';
import { pageRepository, startPageHub, type PageHub } from './start-page-hub.ts';

const series = readSeries(fileURLToPath(new URL('../../examples/lm-small', import.meta.url)));
/** Longest wait for two checkpoints to be searched, in ms: 127 s were measured on two cores with a load of 27. */
const endsWithinMs = 240_000;

describe.skipIf(browserPath === undefined)('a checkpoint that is being compressed, in Chromium', () => {
  let hub: PageHub;
  let browser: Browser;
  beforeAll(async () => {
    [hub, browser] = await Promise.all([startPageHub(series, { isEmpty: true }), openBrowser()]);
  }, 600_000);
  afterAll(async () => {
    await browser?.close();
    await hub?.close();
  });

  it(
    'says what it waits for, then its phases and trials as they come, and is ready in the end, untouched',
    { timeout: 2 * endsWithinMs },
    async () => {
      const [first, second] = series.checkpoints;
      const runPath = `/v1/repositories/${pageRepository}/runs/searched`;
      await hub.client.post(`/v1/repositories/${pageRepository}/runs`, {
        ...{ name: 'searched', fidelity: 'lossy', evalSet: 'held-out', thresholds: { [series.metric]: 0.005 } },
        search: { method: 'inshrinkerator', trialsMax: 6 },
      });
      // The first step is reserved only, so the second one waits for it.
      await hub.client.post(`${runPath}/checkpoints`, {
        step: first!.step,
        files: [{ path: 'model.safetensors', role: 'model' }],
      });
      await hub.client.post(`${runPath}/checkpoints`, {
        step: second!.step,
        files: [{ path: 'model.safetensors', role: 'model' }],
      });
      await hub.client.putFile(
        `${runPath}/checkpoints/${second!.step}/files/model.safetensors`,
        second!.modelFiles[0]!.from,
      );
      await hub.client.post(`${runPath}/checkpoints/${second!.step}/commit`);

      const page = await (await browser.newContext({ baseURL: hub.url })).newPage();
      const [said, errors]: [string[], string[]] = [[], []];
      let loads = 0;
      page.on('console', (message) => {
        if (message.text().startsWith('said: ')) said.push(message.text().slice('said: '.length));
        else if (message.type() === 'error') errors.push(message.text());
      });
      page.on('pageerror', (error) => errors.push(error.message));
      page.on('domcontentloaded', () => loads++);
      await page.goto(`/${pageRepository}/runs/searched/${second!.step}`);
      const status = page.getByRole('status');
      expect(await status.innerText()).toMatch(new RegExp(`^queued, waits for step ${first!.step}, reserved .* ago`));
      await page.evaluate(`
        for (const each of [document.querySelector('[data-events]'), document.getElementById('live-trials')])
          new MutationObserver(() => console.log('said: ' + (each.lastElementChild ?? each).textContent))
            .observe(each, { childList: true });
      `);

      await hub.client.putFile(
        `${runPath}/checkpoints/${first!.step}/files/model.safetensors`,
        first!.modelFiles[0]!.from,
      );
      await hub.client.post(`${runPath}/checkpoints/${first!.step}/commit`);
      await page.locator('h1 .mark.ready').waitFor({ timeout: endsWithinMs });

      expect(said.findIndex((text) => text.startsWith('search'))).toBeGreaterThanOrEqual(0);
      const trials = said.filter((text) => /^trial \d+ (passed|did not pass), about \d+ KiB, loss lost /.test(text));
      expect(trials.length).toBeGreaterThan(0);
      expect(said.findIndex((text) => text.startsWith('search'))).toBeLessThan(said.indexOf(trials[0]!));
      expect(loads).toBe(2);
      expect(await page.getByRole('region', { name: 'Trials' }).isVisible()).toBe(true);
      expect(errors).toEqual([]);
      await page.context().close();
    },
  );
});
