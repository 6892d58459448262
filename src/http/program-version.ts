import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../program-files.ts';

/** Version of the program and its API, from package.json. */
export const programVersion: string = readVersion();

function readVersion(): string {
  const manifest = readFileSync(join(packageRoot, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
