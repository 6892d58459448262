import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** Where distributions install the browser. */
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser of this machine; undefined without one. */
export const browserPath = places.find((place) => existsSync(place));

/** Starts the browser of this machine without a window. Throws an Error that says how to install one. */
export function openBrowser(): Promise<Browser> {
  if (browserPath === undefined)
    throw new Error('Chromium is missing: install it (for instance: apt-get install chromium).');
  return chromium.launch({ executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu'] });
}
