import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import type { AppEnv } from '../../app-env.ts';
import type { AssetName } from '../page-paths.ts';
import { liveScript } from './live-script.ts';
import { styleSheet } from './style.ts';

/** Layers of snow. */
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><g fill="none" stroke="#0b6170" stroke-width="2">' +
  '<path d="M1 4q3.5-3 7 0t7 0M1 9q3.5-3 7 0t7 0M1 14q3.5-3 7 0t7 0"/></g></svg>';

const assets: Readonly<Record<AssetName, { readonly type: string; readonly text: string }>> = {
  'style.css': { type: 'text/css; charset=utf-8', text: styleSheet },
  'live.js': { type: 'text/javascript; charset=utf-8', text: liveScript },
  'icon.svg': { type: 'image/svg+xml', text: icon },
};

const digestOf = (name: AssetName): string => createHash('sha256').update(assets[name].text).digest('hex').slice(0, 12);

/** Names the text of each file in its address, so that browsers may keep it for ever. */
export const assetVersions: Readonly<Record<AssetName, string>> = {
  'style.css': digestOf('style.css'),
  'live.js': digestOf('live.js'),
  'icon.svg': digestOf('icon.svg'),
};

/** Answers with a file that pages load. */
export function sendAsset(c: Context<AppEnv>, name: AssetName): Response {
  const { type, text } = assets[name];
  const isCurrent = c.req.query('v') === assetVersions[name];
  return c.body(text, 200, {
    'Content-Type': type,
    'Cache-Control': isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
  });
}
