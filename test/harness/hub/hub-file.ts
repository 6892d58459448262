import { createHash } from 'node:crypto';
import { randomBytesOf } from '../../acceptance/random-numbers.ts';
import { safetensorsFile } from '../../acceptance/safetensors-file.ts';
import { sha256 } from '../ask.ts';

/** A file of a hub client. Its bytes follow from a seed and are made again when they are needed. */
export interface HubFile {
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Git's id of a small file, which is part of its commit. Absent for a file that git has as a pointer. */
  readonly gitId?: string;
  make(): Buffer;
}

/** Bytes of a chunk of Xet. */
export const chunkBytes = 9_000;
/** Seed of the chunk that all files of chunks share. */
const sharedSeed = 1;

function largeFile(make: () => Buffer): HubFile {
  const bytes = make();
  return { sha256: sha256(bytes), sizeBytes: bytes.length, make };
}

/** A file that is sent inside its commit. */
export function textFile(text: object): HubFile {
  const bytes = Buffer.from(JSON.stringify(text));
  const gitId = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  return { sha256: sha256(bytes), sizeBytes: bytes.length, gitId, make: () => bytes };
}

export function noiseFile(seed: number): HubFile {
  return largeFile(() => randomBytesOf(20_000, seed));
}

/** Four chunks; the first and the last are the same in all such files, so clients send them once. */
export function chunkedFile(seed: number): HubFile {
  return largeFile(() => {
    const shared = randomBytesOf(chunkBytes, sharedSeed);
    return Buffer.concat([shared, randomBytesOf(2 * chunkBytes, seed), shared]);
  });
}

/** A file of more than one part of 64 MiB: noise at both ends, and zeros between. */
export function fileOfTwoParts(seed: number): HubFile {
  return largeFile(() => {
    const bytes = Buffer.alloc(64 * 1024 * 1024 + 5_000);
    const noise = randomBytesOf(5_000, seed);
    bytes.set(noise);
    bytes.set(noise, bytes.length - noise.length);
    return bytes;
  });
}

/** Weights of an exact run, as noise of which a tenth changes from step to step. */
export function exactWeights(step: number): HubFile {
  return largeFile(() => {
    const noise = randomBytesOf(32_000, 3);
    noise.set(randomBytesOf(3_200, step + 2), 3_200 * (step % 10));
    return safetensorsFile({ 'w.weight': { dtype: 'BF16', shape: [160, 100], bytes: noise } });
  });
}

/** Any other file whose bytes a function makes. */
export const fileOf = largeFile;
