import { expect } from 'vitest';
import type { Answer, Json } from './hub-api.ts';

/** Text that would reveal internals of the server: paths, stack frames, queries. */
const inside = /\/tmp\/|\/src\/|node_modules|\bat .*:\d+:\d+|\bselect\b .*\bfrom\b|ENOENT|ENOSPC/i;

/** Checks that an answer is RFC 9457 problem details with this status and code. Returns the document. */
export function expectProblem(answer: Answer, status: number, code: string): Json {
  const text = answer.bytes.toString();
  expect({ status: answer.status, text }).toMatchObject({ status });
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const problem = JSON.parse(text) as Json;
  expect(problem).toEqual({
    type: `/problems/${code}`,
    title: expect.stringMatching(/\S/),
    status,
    code,
    detail: expect.stringMatching(/^.+\.$/s),
    requestId: expect.stringMatching(/^[\w-]{8,}$/),
  });
  expect(answer.headers.get('x-request-id')).toBe(problem.requestId);
  expect(problem.detail).not.toMatch(inside);
  return problem;
}
