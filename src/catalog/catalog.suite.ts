import { afterAll, beforeAll, describe } from 'vitest';
import { accessSuite } from './access.suite.ts';
import { arrivalsSuite } from './arrivals.suite.ts';
import type { Catalog } from './catalog.ts';
import { checkpointsSuite } from './checkpoints.suite.ts';
import { filesSuite } from './files.suite.ts';
import { fileOriginsSuite } from './file-origins.suite.ts';
import { garbageSuite } from './garbage.suite.ts';
import { integritySuite } from './integrity.suite.ts';
import { idempotencySuite } from './idempotency.suite.ts';
import { jobOrderSuite } from './job-order.suite.ts';
import { jobsSuite } from './jobs.suite.ts';
import { locationsSuite } from './locations.suite.ts';
import { packagesSuite } from './packages.suite.ts';
import { processesSuite } from './processes.suite.ts';
import { recordsSuite } from './records.suite.ts';
import { retrySuite } from './retry.suite.ts';
import { transactionsSuite } from './transactions.suite.ts';
import { uploadsSuite } from './uploads.suite.ts';
import { usageSuite } from './usage.suite.ts';

const suites = {
  records: recordsSuite,
  access: accessSuite,
  checkpoints: checkpointsSuite,
  retries: retrySuite,
  files: filesSuite,
  'file origins': fileOriginsSuite,
  locations: locationsSuite,
  packages: packagesSuite,
  transactions: transactionsSuite,
  idempotency: idempotencySuite,
  arrivals: arrivalsSuite,
  uploads: uploadsSuite,
  processes: processesSuite,
  integrity: integritySuite,
  garbage: garbageSuite,
  usage: usageSuite,
  jobs: jobsSuite,
  'job order': jobOrderSuite,
};

/** Everything `Catalog` promises, checked on an implementation. Each group starts with an empty catalog. */
export function describeCatalog(name: string, open: () => Promise<Catalog>): void {
  for (const [group, suite] of Object.entries(suites)) {
    describe(`${name}: ${group}`, () => {
      let catalog: Catalog;
      beforeAll(async () => {
        catalog = await open();
      });
      afterAll(() => catalog.close());
      suite(() => catalog);
    });
  }
}
