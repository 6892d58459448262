import { z } from '@hono/zod-openapi';
import type { Waiting } from '../../../ingest/checkpoint/what-it-waits-for.ts';

export const waitingSchema = z
  .object({
    step: z.number().int().optional().openapi({ description: 'The step of the run that comes first.' }),
    state: z.enum(['open', 'queued', 'working']).optional().openapi({ description: 'The state of that step.' }),
    reservedAt: z.iso.datetime().optional().openapi({ description: 'When that step was reserved, while it is open.' }),
    expiresAt: z.iso
      .datetime()
      .optional()
      .openapi({ description: 'When that reservation is given up, unless files of it arrive.' }),
    inWords: z.string().openapi({ description: 'The same as a sentence.' }),
  })
  .openapi('Waiting', {
    description: 'What a checkpoint waits for that is `queued`: an earlier step of its run, or a worker.',
    example: {
      step: 1100,
      state: 'open',
      reservedAt: '2026-01-02T03:04:05.000Z',
      expiresAt: '2026-01-02T04:04:05.000Z',
      inWords: 'waits for step 1100, reserved 12 minutes ago, expires in 48 minutes unless files arrive',
    },
  });

export function renderWaiting({ step, state, reservedAt, expiresAt, inWords }: Waiting): z.infer<typeof waitingSchema> {
  return {
    ...(step !== undefined && { step }),
    ...(state !== undefined && { state }),
    ...(reservedAt !== undefined && { reservedAt: reservedAt.toISOString() }),
    ...(expiresAt !== undefined && { expiresAt: expiresAt.toISOString() }),
    inWords,
  };
}
