import { z } from '@hono/zod-openapi';
import { expect, test } from 'vitest';
import { invalidRequest } from './invalid-request.ts';

const schema = z.strictObject({
  name: z.string(),
  step: z.number().int().max(10).optional(),
  type: z.enum(['model', 'dataset']).optional(),
});

test.each<readonly [object, string]>([
  [{}, 'name: is missing; it must be a text'],
  [{ name: 'x', type: 'modle' }, 'type: must be model or dataset'],
  [{ name: 'x', visibilty: 1 }, 'The value: has no field "visibilty"'],
  [{ name: 'x', step: 11 }, 'step: Too big: expected number to be <=10'],
  [{ name: 1 }, 'name: must be a text'],
])('of %j it says what is wrong and what would do', (given, sentence) => {
  const { error } = schema.safeParse(given);
  expect(invalidRequest(error!.issues).message).toBe(`The request is not valid. ${sentence}.`);
});
