import { z } from '@hono/zod-openapi';
import { thresholdsInput } from './thresholds.ts';

export const finalQuality = z
  .strictObject({
    exact: z.boolean().optional().openapi({ description: 'Its weights come back exact.' }),
    thresholds: thresholdsInput.optional().openapi({ description: "Thresholds instead of the run's." }),
  })
  .openapi('FinalQuality', {
    description: 'How the last checkpoint of a run is to be kept; as the others where nothing is said.',
    example: { exact: true },
  });

/** Said with an upload. */
export const finalInput = z.union([z.literal(true), finalQuality]).openapi({
  description:
    'This checkpoint is the last of its run: its commit closes the run, which then takes no new ' +
    'steps. With an object it is kept otherwise than the others.',
  example: { exact: true },
});
