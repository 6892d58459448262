// Brings the native core, dist/ and the empty database in it up to date with their sources: node scripts/build.mjs
// Silent and quick if nothing has changed. Exit code 1 if one of them does not build.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isStamped, sourcesDigest, writeStamp } from './build-stamp.mjs';

/** The exit code. */
async function build() {
  // Taken before the build: a file that changes meanwhile makes the next build look again.
  const digest = sourcesDigest();
  const builds = ['build-native.mjs', 'build-sources.mjs', 'build-database.mjs'].map((name) => {
    const script = fileURLToPath(new URL(name, import.meta.url));
    return once(spawn(process.execPath, [script], { stdio: 'inherit' }), 'exit');
  });
  const codes = (await Promise.all(builds)).map(([code]) => code);
  if (!codes.every((code) => code === 0)) return 1;
  writeStamp(digest);
  return 0;
}

process.exitCode = isStamped() ? 0 : await build();
