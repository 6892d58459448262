import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { components } from '../../../../clients/typescript/src/index.ts';
import type { BytesCell } from '../../terminal/print-table.ts';
import { usageRows } from './usage.ts';

type Usage = components['schemas']['Usage'];

const document = JSON.parse(readFileSync(new URL('../../../../openapi/firn.json', import.meta.url), 'utf8')) as {
  components: { schemas: { Usage: { properties: { stored: { properties: object } } } } };
};
/** Every kind of stored bytes of the API, each of another amount. */
const stored = Object.fromEntries(
  Object.keys(document.components.schemas.Usage.properties.stored.properties).map((key, at) => [key, 10 ** at]),
) as Usage['stored'];
const sum = Object.values(stored).reduce((total, bytes) => total + bytes, 0);
const usage: Usage = {
  ...{ logicalBytes: 3_490, storedBytes: sum, stored, reservedBytes: 0 },
  compressed: { checkpointCount: 1, rawBytes: 1_090, storedBytes: 1_000, ratio: 1.09 },
  transferred: { receivedBytes: 0, sentBytes: 0 },
};

test('the lines of usage between what was pushed and the total are all kinds of bytes of the API', () => {
  const rows = usageRows(usage);
  const total = rows.findIndex(([what]) => what === 'stored, all of these');
  const amounts = rows.slice(1, total).map(([, cell]) => (cell as BytesCell).bytes);
  expect(amounts.toSorted((a, b) => a - b)).toEqual(Object.values(stored));
  expect(rows[total]![1]).toEqual({ bytes: amounts.reduce((all, bytes) => all + bytes, 0) });
});

test('the ratio is that of the API, whatever else was uploaded', () => {
  expect(usageRows(usage)).toContainEqual(['ratio of checkpoints', '1.09x']);
  const none = { ...usage, compressed: { checkpointCount: 0, rawBytes: 0, storedBytes: 0 } };
  expect(usageRows(none)).toContainEqual(['ratio of checkpoints', undefined]);
});
