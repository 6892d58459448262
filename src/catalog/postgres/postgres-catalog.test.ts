import { describeOnPostgres } from '../../../test/postgres/create-database.ts';
import { describeCatalog } from '../catalog.suite.ts';
import { openPostgresTestCatalog } from './test-postgres.test-support.ts';

describeOnPostgres('a Postgres server', () => describeCatalog('Postgres', openPostgresTestCatalog));
