import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { clientTypes, clientTypesText } from '../../scripts/write-client-types.ts';

test('the types of the client are those of openapi/firn.json: run `npm run client-types` after a change', async () => {
  expect(await clientTypesText()).toBe(await readFile(clientTypes, 'utf8'));
});
