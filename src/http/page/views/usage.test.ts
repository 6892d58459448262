import { expect, it } from 'vitest';
import type { Usage } from '../../../catalog/contract/storage/usage-records.ts';
import { usageView } from './usage.tsx';

const usage: Usage = {
  logical: 349_000,
  stored: { package: 100_000, staged: 0, raw: 0, hub: 200_000, evalSet: 0, hidden: 0, pendingDeletion: 0 },
  compressed: { count: 1, rawBytes: 109_000, storedBytes: 100_000 },
  ...{ reserved: 0, received: 0, sent: 0 },
};

it('divides what was pushed of checkpoints, not all uploads, by what is stored of them', async () => {
  const catalog = { usage: { namespaces: () => Promise.resolve([]), hub: () => Promise.resolve(usage) } };
  const principal = { id: 'admin', name: 'admin', grants: [{ scope: 'admin' }] };
  const ctx = { c: { req: { query: () => undefined } }, gateway: { catalog }, viewer: { principal, isOpenHub: false } };
  const answer = await usageView(ctx as unknown as Parameters<typeof usageView>[0]);
  const page = 'content' in answer ? String(answer.content) : '';
  expect(page).toMatch(/Ratio of checkpoints<[^]*?>1\.09×</);
  expect(page).toMatch(/Saved in total<[^]*?>47\.9 KiB</);
});
