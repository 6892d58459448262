// Tells in milliseconds whether anything changed since the last build of this clone, without reading a file's content.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const stampPath = join(root, 'build', 'stamp');
/** What a build reads. */
const sources = ['src', 'clients/typescript/src', 'native', 'tsconfig.json', 'scripts', 'package-lock.json'];
/** Names below the sources that no build reads. */
const leftOut = /\.test\.tsx?$|^native\/(test|bench|fuzz)$/;
/** What a build writes last. */
const results = ['dist/main.js', 'dist/empty-database.json', 'build/Release/firn_core.node'];

/**
 * A digest of the names, inodes, sizes and change times of all sources. Any write to a file changes its change time,
 * which programs cannot set; so equal digests mean equal files. A copy of the clone has another digest.
 */
export function sourcesDigest() {
  return digestOf(sources, [process.platform, process.arch, process.env.CXX ?? '']);
}

/** Whether the sources and what was built of them are as the last {@link writeStamp} found them. */
export function isStamped() {
  try {
    return readFileSync(stampPath, 'utf8') === stampOf(sourcesDigest());
  } catch {
    return false;
  }
}

/** Records that what is built now was built from the sources of this digest, which was taken before the build. */
export function writeStamp(digest) {
  mkdirSync(dirname(stampPath), { recursive: true });
  const fresh = `${stampPath}.${process.pid}`;
  writeFileSync(fresh, stampOf(digest));
  renameSync(fresh, stampPath);
}

function stampOf(digest) {
  return `${digest} ${digestOf(results, [])}`;
}

function digestOf(names, beginning) {
  const hash = createHash('sha256').update(JSON.stringify(beginning));
  for (const name of names) addTo(hash, name);
  return hash.digest('hex');
}

/** Adds a file, or all files of a folder. */
function addTo(hash, name) {
  const found = statSync(join(root, name));
  if (!found.isDirectory()) {
    hash.update(`${name}\0${found.ino} ${found.size} ${found.ctimeMs}\0`);
    return;
  }
  for (const child of readdirSync(join(root, name)).sort())
    if (!leftOut.test(`${name}/${child}`)) addTo(hash, `${name}/${child}`);
}
