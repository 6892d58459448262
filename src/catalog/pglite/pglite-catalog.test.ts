import { describeCatalog } from '../catalog.suite.ts';
import { openTestCatalog } from '../test-catalog.test-support.ts';

describeCatalog('PGlite in memory', openTestCatalog);
