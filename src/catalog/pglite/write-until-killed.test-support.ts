/**
 * A process that opens the catalog in the directory of its first argument and prints the name of each repository once
 * it is acknowledged.
 */
import { openPgliteCatalog } from './open-pglite.ts';

const catalog = await openPgliteCatalog({ directory: process.argv[2]! });
for (let index = 0; ; index++) {
  const name = `r${process.pid}-${index}`;
  await catalog.repositories.create({ namespace: 'crash', name, type: 'model' });
  process.stdout.write(`${name}\n`);
}
