import { afterAll, beforeAll, describe } from 'vitest';
import { accessSuite } from './records/access/access.suite.ts';
import { bodyReservationsSuite } from './records/uploads/body-reservations.suite.ts';
import type { Catalog } from './contract/catalog.ts';
import { checkpointsSuite } from './records/checkpoints/checkpoints.suite.ts';
import { filesSuite } from './records/files/files.suite.ts';
import { fileOriginsSuite } from './records/files/file-origins.suite.ts';
import { garbageSuite } from './records/garbage/garbage.suite.ts';
import { integritySuite } from './records/integrity/integrity.suite.ts';
import { hubBlobsSuite } from './records/hub/blobs.suite.ts';
import { hubRevisionsSuite } from './records/hub/revisions.suite.ts';
import { idempotencySuite } from './records/uploads/idempotency.suite.ts';
import { jobDevicesSuite } from './jobs/job-devices.suite.ts';
import { jobOrderSuite } from './jobs/job-order.suite.ts';
import { jobsSuite } from './jobs/jobs.suite.ts';
import { locationsSuite } from './records/files/locations.suite.ts';
import { overviewSuite } from './records/overview/overview.suite.ts';
import { packagesSuite } from './records/packages/packages.suite.ts';
import { processesSuite } from './jobs/processes.suite.ts';
import { recordsSuite } from './records/records.suite.ts';
import { closedRunsSuite } from './records/runs/closed-runs.suite.ts';
import { measuredBeforeSuite } from './records/checkpoints/measured-before.suite.ts';
import { retrySuite } from './records/checkpoints/retry.suite.ts';
import { transactionsSuite } from './transactions.suite.ts';
import { uploadsSuite } from './records/uploads/uploads.suite.ts';
import { usageSuite } from './records/usage/usage.suite.ts';
import { webhooksSuite } from './records/webhooks/webhooks.suite.ts';

const suites = {
  records: recordsSuite,
  access: accessSuite,
  checkpoints: checkpointsSuite,
  'measured uploads': measuredBeforeSuite,
  retries: retrySuite,
  'closed runs': closedRunsSuite,
  files: filesSuite,
  'file origins': fileOriginsSuite,
  locations: locationsSuite,
  overview: overviewSuite,
  packages: packagesSuite,
  transactions: transactionsSuite,
  idempotency: idempotencySuite,
  bodyReservations: bodyReservationsSuite,
  uploads: uploadsSuite,
  processes: processesSuite,
  integrity: integritySuite,
  garbage: garbageSuite,
  'hub blobs': hubBlobsSuite,
  'hub revisions': hubRevisionsSuite,
  usage: usageSuite,
  webhooks: webhooksSuite,
  jobs: jobsSuite,
  'job order': jobOrderSuite,
  'job devices': jobDevicesSuite,
};

/** The behaviour of every `Catalog`. Each group starts with an empty catalog. */
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
