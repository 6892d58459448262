import type { LookupFunction } from 'node:net';
import type { Crc32c } from '../frame/object-frame.ts';

/** Place and transport of the objects of an S3 store. */
export interface S3StoreOptions {
  /** Must exist; below `prefix` it belongs to this hub. */
  readonly bucket: string;
  /** URL of the server; Amazon's for `region` when undefined. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  /** Prefix of every object's name; empty, or ends with "/". Nothing else may write below it. */
  readonly prefix: string;
  /** Whether the bucket is the first part of the path instead of the host name. */
  readonly forcePathStyle: boolean;
  /** When undefined, the SDK's chain (environment, shared files, instance metadata). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
  /** Size of a part of a large object, and largest object put in one request; 5 MiB to 5 GiB. */
  readonly partBytes: number;
  /** Parts in flight at once, over all puts; each put fills one more. */
  readonly parallelParts: number;
  /** Connections open at once. */
  readonly socketsMax: number;
  /** A connection without traffic for this long is closed, in ms. */
  readonly idleMs: number;
  /** Longest time of one try of a request, its body included, in ms. */
  readonly tryMs: number;
  /** When the SDK adds its own checksums. Firn always checks its own, and not every server supports the SDK's. */
  readonly checksums: 'WHEN_REQUIRED' | 'WHEN_SUPPORTED';
  readonly crc32c: Crc32c;
  /** Called for every failure that is retried. */
  readonly onRetry?: (note: S3RetryNote) => void;
  /** Whether the server supports conditional puts; probed at the start if undefined. */
  readonly conditionalPuts?: boolean;
  /** Objects or uploads in one page of a listing; the server's own limit when undefined. */
  readonly pageMax?: number;
  /** Resolves host names. */
  readonly lookup?: LookupFunction;
}

export interface S3RetryNote {
  readonly request: string;
  /** Tries so far. */
  readonly tries: number;
  readonly delayMs: number;
  readonly error: unknown;
}
