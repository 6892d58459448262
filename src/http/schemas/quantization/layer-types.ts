import { z } from '@hono/zod-openapi';
import { layerTypes } from '../../../checkpoint/layer-type.ts';

/** Tensor name to layer type, for a run or a checkpoint. */
export const layerTypesSchema = z.record(z.string(), z.enum(layerTypes));
