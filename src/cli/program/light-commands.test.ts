import { readdirSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Modules and packages that are loaded with a module: its imports of values, and theirs. */
function loadedWith(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  const text = readFileSync(path, 'utf8');
  for (const [, from] of text.matchAll(/^(?:import|export)\s(?!type\b)[^;]*?\bfrom '([^']+)';/gm)) {
    if (from!.startsWith('.')) loadedWith(resolve(dirname(path), from!), seen);
    else if (!from!.startsWith('node:')) seen.add(from!);
  }
  return seen;
}

const ofHub = readdirSync(resolve(root, 'src/cli/hub'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => `src/cli/hub/${path}`);
const loads = ['src/main.ts', 'src/cli/token.ts', ...ofHub];

test.each(loads)('%s loads nothing of a server', (path) => {
  const loaded = [...loadedWith(resolve(root, path))];
  const packages = loaded.filter((each) => !each.startsWith('/'));
  expect(packages.filter((name) => !['commander', 'openapi-fetch'].includes(name))).toEqual([]);
  const rooms = loaded
    .filter((each) => each.startsWith('/'))
    .map((each) => relative(root, each))
    .filter(
      (each) =>
        !/^(src\/(main\.ts|program-files\.ts|cli\/|checkpoint\/|http\/program-version\.ts)|clients\/)/.test(each),
    );
  expect(rooms).toEqual([]);
});
