#!/usr/bin/env -S node --max-semi-space-size=4 --no-parallel-scavenge --enable-source-maps
// `firn [serve|work|migrate|unpack ...]`: see src/main.ts. A package brings dist/ with it; a clone builds what has
// changed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

if (existsSync(new URL('../src/main.ts', import.meta.url))) {
  const { isStamped } = await import('../scripts/build-stamp.mjs');
  if (!isStamped()) {
    const build = fileURLToPath(new URL('../scripts/build.mjs', import.meta.url));
    // What a build says must not mix with what the command prints.
    const { status } = spawnSync(process.execPath, [build], { stdio: ['ignore', 2, 2] });
    if (status !== 0) process.exit(1);
  }
}
await import('../dist/main.js');
