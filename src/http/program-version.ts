import { readFileSync } from 'node:fs';

/**
 * Version of the program and its API, from package.json, which is equally far from src/http and from dist/http.
 */
export const programVersion: string = readVersion();

function readVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
