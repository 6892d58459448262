import type { z } from '@hono/zod-openapi';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { quoteName } from '../../checkpoint/words/quote-name.ts';

/** Most validation errors in one answer. */
const issuesShown = 3;
/** Most values of a choice that are listed. */
const valuesShown = 20;

/** The error for a request whose path, query, headers or body do not match their schema. Pure. */
export function invalidRequest(issues: readonly z.core.$ZodIssue[]): FirnError {
  const shown = issues.slice(0, issuesShown).map((issue) => {
    const place = issue.path.length === 0 ? 'The value' : issue.path.map(String).join('.');
    return `${place}: ${describe(issue)}`;
  });
  return new FirnError('invalid-request', `The request is not valid. ${shown.join('; ')}.`);
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') {
    const wanted = `must be ${typeNames[issue.expected] ?? issue.expected}`;
    return issue.message.endsWith('received undefined') ? `is missing; it ${wanted}` : wanted;
  }
  if (issue.code === 'invalid_value') return `must be ${issue.values.slice(0, valuesShown).map(String).join(' or ')}`;
  if (issue.code === 'unrecognized_keys')
    return `has no field ${issue.keys.slice(0, valuesShown).map(quoteName).join(', ')}`;
  return issue.message;
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};
