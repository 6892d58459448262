import type { LookupFunction } from 'node:net';
import type { Crc32c } from '../frame/object-frame.ts';

/** Where and how the objects of an S3 store lie. */
export interface S3StoreOptions {
  /** Exists; belongs to this hub below `prefix`. */
  readonly bucket: string;
  /** URL of the server; Amazon's of `region` when undefined. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  /** Begins the name of every object; empty, or ends with "/". Nothing else may write below it. */
  readonly prefix: string;
  /** Whether the bucket is the first part of the path, and not of the host name. */
  readonly forcePathStyle: boolean;
  /** The SDK's chain (environment, shared files, instance metadata) when undefined. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
  /** Size of a part of a large object, and largest object put in one request; 5 MiB to 5 GiB. */
  readonly partBytes: number;
  /** Parts on their way at once, over all puts; each put fills one more. */
  readonly parallelParts: number;
  /** Connections at once. */
  readonly socketsMax: number;
  /** A connection on which nothing moves for so long is given up, in ms. */
  readonly idleMs: number;
  /** Longest one try of a request may take, its body included, in ms. */
  readonly tryMs: number;
  /** When the SDK adds its own checksums: Firn's are checked either way, and not every server knows the SDK's. */
  readonly checksums: 'WHEN_REQUIRED' | 'WHEN_SUPPORTED';
  readonly crc32c: Crc32c;
  /** Hears of every failure that is tried again. */
  readonly onRetry?: (note: S3RetryNote) => void;
  /** What the start finds out about the server otherwise. */
  readonly conditionalPuts?: boolean;
  /** Objects or uploads in one answer of a listing; the server's own bound otherwise. */
  readonly pageMax?: number;
  /** Finds the address of a host name. */
  readonly lookup?: LookupFunction;
}

export interface S3RetryNote {
  readonly request: string;
  /** Tries so far. */
  readonly tries: number;
  readonly delayMs: number;
  readonly error: unknown;
}
