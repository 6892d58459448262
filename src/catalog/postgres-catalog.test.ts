import { describeCatalog } from './catalog.suite.ts';
import { describeOnPostgres, openPostgresTestCatalog } from './test-postgres.test-support.ts';

describeOnPostgres('a Postgres server', () => describeCatalog('Postgres', openPostgresTestCatalog));
