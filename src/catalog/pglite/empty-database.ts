import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { packageRoot } from '../../program-files.ts';

/** The built files of an empty database (scripts/build-database.mjs). */
const builtFolder = join(packageRoot, 'dist');

/**
 * A dump of an empty database for PGlite's `loadDataDir`, which saves the seconds that creating one takes. Undefined if
 * none was built for the installed version of PGlite.
 */
export async function emptyDatabase(folder = builtFolder): Promise<Blob | undefined> {
  try {
    const record: unknown = JSON.parse(await readFile(join(folder, 'empty-database.json'), 'utf8'));
    const { pglite } = record as { readonly pglite?: unknown };
    if (pglite !== (await versionOfPglite())) return undefined;
    // PGlite would unpack it, too, but a damaged archive would end the process.
    const archive = await promisify(gunzip)(await readFile(join(folder, 'empty-database.tar.gz')));
    return new Blob([new Uint8Array(archive)], { type: 'application/x-tar' });
  } catch {
    return undefined;
  }
}

async function versionOfPglite(): Promise<unknown> {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const manifest: unknown = JSON.parse(await readFile(join(dirname(entry), '..', 'package.json'), 'utf8'));
  return (manifest as { readonly version?: unknown }).version;
}
