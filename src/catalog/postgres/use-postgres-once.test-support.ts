/**
 * A process that opens the catalog whose URL is its first argument, migrates it if needed, and creates one repository.
 */
import { openPostgresCatalog } from './open-postgres.ts';

const catalog = await openPostgresCatalog({
  url: process.argv[2]!,
  connectionsMax: 2,
  connectMs: 10_000,
  statementMs: 30_000,
  migrate: true,
});
await catalog.repositories.create({ namespace: 'start', name: `p${process.pid}`, type: 'model' });
await catalog.close();
