import { createHash } from 'node:crypto';
import { ramp, safetensors } from '../../src/http/safetensors.test-support.ts';

/** Bytes that a request may carry, with what headers and bodies say of them. */
export interface SmallContent {
  readonly bytes: Buffer;
  readonly sha256: string;
}

const cut = safetensors({ w: { shape: [16], values: ramp(16, 3) } });

/** Checkpoints of one layout, another layout, plain text, a file that is cut short, and nothing at all. */
export const smallContents: readonly SmallContent[] = [
  safetensors({ w: { shape: [8, 8], values: ramp(64, 1) }, b: { shape: [8], values: ramp(8, 2) } }),
  safetensors({ w: { shape: [8, 8], values: ramp(64, 4) }, b: { shape: [8], values: ramp(8, 5) } }),
  safetensors({ other: { shape: [3], values: ramp(3, 6) } }),
  Buffer.from('{"model_type": "tiny"}'),
  cut.subarray(0, cut.length - 7),
  Buffer.alloc(0),
].map((bytes) => ({ bytes, sha256: createHash('sha256').update(bytes).digest('hex') }));
