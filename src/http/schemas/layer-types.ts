import { z } from '@hono/zod-openapi';
import { layerTypes } from '../../checkpoint/layer-type.ts';

/** Tensor to layer type, as given with a run or a checkpoint. */
export const layerTypesSchema = z.record(z.string(), z.enum(layerTypes));
