/** Where the program's own files lie: in a clone, in an image or in an installed package. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json. Throws at the first import when there is none, since nothing works without it. */
export const packageRoot: string = nearestPackage(dirname(fileURLToPath(import.meta.url)));

/**
 * Path of a module that is started as a process of its own: `cli/demo/re-evaluate` is `dist/cli/demo/re-evaluate.js`,
 * which `npm run build` makes (scripts/build-sources.mjs lists them). Tests and benches, which run the sources, build
 * before they start, so that their children are of the same sources.
 */
export function programPath(name: string): string {
  return join(packageRoot, 'dist', `${name}.js`);
}

function nearestPackage(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder)
    throw new Error(`No folder above ${fileURLToPath(import.meta.url)} has a package.json; install Firn again.`);
  return nearestPackage(parent);
}
