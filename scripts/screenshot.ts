// Makes docs/page.png and docs/page-dark.png, the page of a run of the bundled series: npm run screenshot
//
// Needs Chromium. It starts a hub of its own and ends it.
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readSeries } from '../src/cli/demo/read-series.ts';
import { openBrowser } from '../test/page/open-browser.ts';
import { pageRepository, startPageHub } from '../test/page/start-page-hub.ts';

/** Largest picture, in bytes: a README loads it. */
const pictureBytesMax = 200_000;
/** Size of the window, in pixels. */
const viewport = { width: 1100, height: 900 };

const file = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const hub = await startPageHub(readSeries(file('examples/lm-small')));
try {
  const browser = await openBrowser();
  try {
    for (const colorScheme of ['light', 'dark'] as const) {
      const path = file(colorScheme === 'light' ? 'docs/page.png' : 'docs/page-dark.png');
      const page = await browser.newPage({ viewport, colorScheme });
      await page.goto(`${hub.url}/${pageRepository}/runs/${hub.runs[0]}`);
      await page.screenshot({ path });
      const { size } = statSync(path);
      if (size > pictureBytesMax) throw new Error(`${path} has ${size} bytes; at most ${pictureBytesMax} are wanted.`);
      process.stdout.write(`${path}: ${size} bytes\n`);
    }
  } finally {
    await browser.close();
  }
} finally {
  await hub.close();
}
