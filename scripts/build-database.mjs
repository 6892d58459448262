// Makes dist/empty-database.tar.gz, the files of an empty Postgres database, and dist/empty-database.json, which says
// for which version of PGlite: node scripts/build-database.mjs [root]
//
// A first start of the embedded catalog copies these files. Without them it makes them itself, which takes ten seconds
// instead of one. They hold no table and no secret: migrations make those on each start of a new data directory.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..'));
const archive = join(root, 'dist', 'empty-database.tar.gz');
const record = join(root, 'dist', 'empty-database.json');

async function main() {
  const entry = createRequire(join(root, 'package.json')).resolve('@electric-sql/pglite');
  const { version } = JSON.parse(readFileSync(join(dirname(entry), '..', 'package.json'), 'utf8'));
  const wanted = JSON.stringify({ pglite: version });
  if (existsSync(archive) && existsSync(record) && readFileSync(record, 'utf8') === wanted) return;
  const { PGlite } = await import('@electric-sql/pglite');
  const database = await PGlite.create();
  const dump = await database.dumpDataDir('gzip');
  await database.close();
  mkdirSync(dirname(archive), { recursive: true });
  replace(archive, new Uint8Array(await dump.arrayBuffer()));
  replace(record, wanted);
}

/** Replaces a file atomically: several builds may run at once. */
function replace(path, bytes) {
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, bytes);
  renameSync(fresh, path);
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
});
