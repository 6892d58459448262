import { expect, test } from 'vitest';
import { FirnProblem } from '../../../clients/typescript/src/firn-problem.ts';
import { Unreachable } from '../../../clients/typescript/src/unreachable.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { errorReport, type ErrorReport } from './error-report.ts';

const refusal = { code: 'not-found', detail: 'There is no such run.', requestId: 'r1' };

test.each<[error: unknown, report: Omit<ErrorReport, 'command'>]>([
  [
    new FirnProblem(404, { ...refusal, path: '/v1/repositories/me/gpt/runs/x' }),
    {
      code: 'not-found',
      message: 'There is no run me/gpt/x.',
      advice: 'firn runs list me/gpt lists those that there are.',
      status: 404,
      requestId: 'r1',
    },
  ],
  [
    new Unreachable('http://h', new Error('refused')),
    {
      code: 'unreachable',
      message: 'http://h cannot be reached: refused.',
      advice: 'Is the hub running? npm start starts one here; --url or FIRN_URL names another.',
    },
  ],
  [
    new FirnError('corrupt-package', 'The package is damaged.', { detail: 'a.firn' }),
    { code: 'corrupt-package', message: 'The package is damaged.', detail: 'a.firn' },
  ],
  [new Error('Two\nlines.'), { code: 'failed', message: 'Two\nlines.' }],
  ['a text', { code: 'failed', message: 'a text' }],
])('a program is told of %s with a code, a sentence and what helps', (error, report) => {
  expect(errorReport(error, 'firn log', undefined)).toEqual({ ...report, command: 'firn log' });
});
