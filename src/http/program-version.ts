import { readFileSync } from 'node:fs';

/**
 * Version of the program and of its API, which is that of package.json: as far away from src/http as from dist/http.
 */
export const programVersion: string = readVersion();

function readVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
