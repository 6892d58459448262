import { bucketSharer } from './bucket-payloads.ts';
import { residualSharer } from './residual-payloads.ts';
import type { PayloadSharer } from './shared-payloads.ts';

/** A kind of delta that can be merged is added here. */
export const allSharers: readonly PayloadSharer[] = [residualSharer, bucketSharer];
