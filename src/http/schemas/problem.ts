import { z } from '@hono/zod-openapi';
import { firnErrorCodes } from '../../checkpoint/firn-error.ts';
import { problemExample, problemExamples } from './examples/problem-examples.ts';

export const problemSchema = z
  .object({
    type: z
      .string()
      .openapi({ description: 'A URI reference that explains the code.', example: '/problems/not-found' }),
    title: z.string().openapi({ example: 'Not found' }),
    status: z.number().int().openapi({ example: 404 }),
    code: z
      .enum(firnErrorCodes)
      .openapi({ description: 'Stable; what a program should look at.', example: 'not-found' }),
    detail: z.string().openapi({ description: 'A sentence for people.', example: 'There is no such run.' }),
    requestId: z
      .string()
      .openapi({ description: 'Names the request in the log.', example: '6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a' }),
  })
  .openapi('Problem', { description: 'RFC 9457 problem details.', examples: problemExamples });

/** Response entries for the problem statuses of an operation. */
export function problems<const Status extends keyof typeof descriptions>(...statuses: Status[]) {
  const entry = (status: Status) => ({
    description: descriptions[status],
    content: { 'application/problem+json': { schema: problemSchema, example: problemExample(status) } },
  });
  return Object.fromEntries(statuses.map((status) => [status, entry(status)])) as Record<
    Status,
    ReturnType<typeof entry>
  >;
}

const descriptions = {
  400: 'The request is not valid.',
  401: 'A valid token is needed: the one that was sent does not hold, or this cannot be done without one.',
  403: 'The token does not allow this.',
  404: 'There is no such thing, or it is not visible.',
  408: 'The body arrives too slowly; what a resumable upload has acknowledged stays.',
  409: 'The state of the resource does not allow this.',
  411: 'A Content-Length is needed.',
  412: 'A precondition failed.',
  413: 'The body is too large.',
  415: 'The media type is not supported.',
  416: 'The range lies outside the file.',
  422: 'The content is not acceptable.',
  423: 'Another request has the upload.',
  429: 'Too many requests; try again after Retry-After seconds.',
  460: 'The bytes have another checksum than announced.',
  500: 'The server failed.',
  503: 'Too much is waiting; try again after Retry-After seconds.',
  507: 'The storage is full; try again after Retry-After seconds.',
} as const;
